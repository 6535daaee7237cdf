import { createModel, effect, signal } from "@preact/signals";
import { createReading } from "../reading.ts";
import type { Exploration, ExplorationRequest, ScenarioApi } from "./api.ts";

/** How long the server may take to answer while nothing has ended: the count on the page is that old at most. */
const WAIT = "400ms";

/** What a person fills in. */
export interface ExploreDraft {
  story: string;
  subscriber: string;
  state: string;
  reset: string;
  secret: string;
  /** Paths, separated by commas. */
  ignore: string;
  deviations: "1" | "2" | "3";
}

export const EMPTY_DRAFT: ExploreDraft = {
  story: "checkout",
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
  const ignore = draft.ignore
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
  return {
    story: draft.story,
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
export const scenarioCommand = (name: string, subscriber: string, hasSecret: boolean): string =>
  `npx sandglass run ${name} --subscriber ${subscriber}${hasSecret ? " --secret <secret>" : ""}`;

/** How far an exploration is: `1 deviation: 61 of 342 schedules`. */
export function progressWords({ progress }: Pick<Exploration, "progress">): string {
  if (progress === null) return "Playing the story when everything goes well";
  const { deviations, tried, schedules } = progress;
  return `${deviations} ${deviations === 1 ? "deviation" : "deviations"}: ${tried} of ${schedules} schedules`;
}

export type Explore = InstanceType<typeof Explore>;

/** An exploration from its form to its result. */
export const Explore = createModel((api: ScenarioApi) => {
  const stories = createReading(api.stories);
  const current = signal<Exploration | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  const hasSecret = signal(false);
  let isOpen = true;
  void stories.read();
  effect(() => () => {
    isOpen = false;
  });

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
    /** Whether the latest one got a secret of its own: its command needs it, too. */
    hasSecret,

    /** @throws ApiError, and Error for a draft that is incomplete */
    async start(draft: ExploreDraft): Promise<void> {
      const started = await api.explore(readDraft(draft));
      error.value = undefined;
      hasSecret.value = draft.secret !== "";
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
