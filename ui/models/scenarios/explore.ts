import { createModel, effect, signal } from "@preact/signals";
import { shellArgument } from "../../../src/runtime/shell.ts";
import { createReading } from "../reading.ts";
import type { Exploration, ExplorationRequest, ScenarioApi } from "./api.ts";

/** How long the server may take to answer while nothing has ended: the count on the page is that old at most. */
const WAIT = "400ms";

const MOST_DEVIATIONS = ["1", "2", "3"] as const;

/** What a person fills in. */
export interface ExploreDraft {
  /** Empty for all of them. */
  story: string;
  subscriber: string;
  state: string;
  reset: string;
  secret: string;
  /** Paths, separated by commas. */
  ignore: string;
  deviations: (typeof MOST_DEVIATIONS)[number];
}

export const EMPTY_DRAFT: ExploreDraft = {
  story: "",
  subscriber: "",
  state: "",
  reset: "",
  secret: "",
  ignore: "",
  deviations: "2",
};

/** An address on the server of the subscriber, as an example. */
export const besideSubscriber = (subscriber: string, path: string): string =>
  URL.canParse(subscriber) ? new URL(path, subscriber).href : "";

/** What a draft asks for. @throws Error naming what is missing */
export function readDraft(draft: ExploreDraft): ExplorationRequest {
  const subscriber = draft.subscriber.trim();
  if (!URL.canParse(subscriber))
    throw new Error("Where does your server receive webhooks? For example http://127.0.0.1:3000/webhooks.");
  const besides = (field: "state" | "reset", path: string, question: string): string => {
    const address = draft[field].trim();
    if (URL.canParse(address)) return address;
    throw new Error(`${question} For example ${besideSubscriber(subscriber, path)}.`);
  };
  // A comma between quotes belongs to a name.
  const ignore = draft.ignore
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((path) => path.trim())
    .filter((path) => path !== "");
  return {
    ...(draft.story !== "" && { story: draft.story }),
    subscriber,
    state: besides("state", "/state", "Where does your server return its state?"),
    reset: besides(
      "reset",
      "/reset",
      "Where does your server empty its state? Sandglass sends a POST there.",
    ),
    deviations: Number(draft.deviations),
    ...(draft.secret !== "" && { secret: draft.secret }),
    ...(ignore.length > 0 && { ignore }),
  };
}

/** The command that runs the scenario which an exploration wrote. */
export const scenarioCommand = (
  name: string,
  { subscriber, own_secret }: Pick<Exploration, "subscriber" | "own_secret">,
): string =>
  `npx sandglass run ${name} --subscriber ${shellArgument(subscriber)}${own_secret ? " --secret <secret>" : ""}`;

/** How far an exploration is: `checkout, 1 deviation: 61 of 342 schedules`. */
export function progressWords({ progress }: Pick<Exploration, "progress">): string {
  if (progress === null) return "Playing the story when everything goes well";
  const { story, deviations, tried, schedules } = progress;
  return `${story}, ${deviations} ${deviations === 1 ? "deviation" : "deviations"}: ${tried} of ${schedules} schedules`;
}

export type Explore = InstanceType<typeof Explore>;

/** What an exploration was asked for with. */
const draftOf = ({ story, subscriber, state, reset, ignore, deviations }: Exploration): ExploreDraft => ({
  story: story ?? "",
  subscriber,
  state,
  reset,
  secret: "",
  ignore: ignore.join(", "),
  deviations: MOST_DEVIATIONS.find((most) => Number(most) >= deviations) ?? "3",
});

/** An exploration from its form to its result. It begins with the latest one of the server, if there is one. */
export const Explore = createModel((api: ScenarioApi) => {
  const stories = createReading(api.stories);
  const current = signal<Exploration | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  const draft = signal(EMPTY_DRAFT);
  let isOpen = true;
  void stories.read();
  void join();
  effect(() => () => {
    isOpen = false;
  });

  async function join(): Promise<void> {
    const latest = (await api.explorations().catch(() => [])).at(-1);
    const found = latest && (await api.exploration(latest.id, WAIT).catch(() => undefined));
    if (!found || !isOpen || current.peek() || draft.peek() !== EMPTY_DRAFT) return;
    draft.value = draftOf(found);
    current.value = found;
    await follow(found.id);
  }

  /** Reads it again and again until it has ended, or another one is shown. */
  async function follow(id: string): Promise<void> {
    try {
      while (isOpen && current.peek()?.id === id && current.peek()?.status === "running") {
        const next = await api.exploration(id, WAIT);
        if (current.peek()?.id === id) current.value = next;
      }
    } catch (reason) {
      if (current.peek()?.id === id) error.value = reason as Error;
    }
  }

  return {
    stories,
    current,
    /** Why the latest one cannot be shown. */
    error,
    draft,

    /** @throws ApiError, and Error for a draft that is incomplete */
    async start(): Promise<void> {
      const started = await api.explore(readDraft(draft.value));
      error.value = undefined;
      current.value = started;
      void follow(started.id);
    },

    /** @throws ApiError */
    async cancel(): Promise<void> {
      const { id } = current.value!;
      current.value = undefined;
      await api.cancelExploration(id);
    },
  };
});
