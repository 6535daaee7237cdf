import type { Settings } from "../config/config.ts";
import { closest } from "../errors/closest.ts";
import { SandboxError } from "../errors/errors.ts";
import { checkReachable } from "../webhooks/endpoint-url.ts";
import { MINUTE, parseDuration } from "../world/duration.ts";
import type { Level, Survey } from "./exploration.ts";

/** What an exploration over HTTP is asked for with. */
export interface ExplorationRequest {
  subscriber: string;
  state: string;
  /** A URL alone: a shell command is for the command line. */
  reset: string;
  story?: string | undefined;
  secret?: string | undefined;
  ignore?: readonly string[] | undefined;
  ordered?: readonly string[] | undefined;
  deviations?: number | undefined;
  budget?: string | number | undefined;
  seed?: string | undefined;
}

/** An exploration: under way, ended with a result, or failed. */
export interface StartedExploration {
  id: string;
  /** With the defaults of what was left out; a secret is not passed on. */
  asked: Pick<Required<ExplorationRequest>, "subscriber" | "state" | "reset"> & {
    /** Null for all that are shipped. */
    story: string | null;
    ignore: readonly string[];
    ordered: readonly string[];
    deviations: number;
    hasSecret: boolean;
  };
  /** The schedules with the present number of deviations; null before the first was played. */
  readonly progress: (Level & { story: string }) | null;
  readonly result: Survey | null;
  /** What it failed with. */
  readonly error: unknown;
  /** Resolves when it has ended, with a result or an error. */
  done: Promise<void>;
  cancel: () => void;
}

type Changing<T> = { -readonly [Name in keyof T]: T[Name] };

const DEFAULT_DEVIATIONS = 2;
/** How many are stored; the oldest go first. */
const STORED = 10;

/** The explorations of a server: one at a time, the latest stored. */
export type Explorations = ReturnType<typeof createExplorations>;

export function createExplorations(settings: Settings) {
  const stored = new Map<string, StartedExploration>();
  let last = 0;

  function find(id: string): StartedExploration {
    const found = stored.get(id);
    if (found) return found;
    throw new SandboxError(
      "not_found",
      `There is no exploration '${id.slice(0, 60)}'.`,
      "POST /_sandbox/explorations starts one. The latest ten are stored.",
    );
  }

  return {
    find,
    list: () => [...stored.values()],

    /** @throws SandboxError `invalid_state` while another one is under way; `bad_request`; `not_found` for an unknown story */
    async start(request: ExplorationRequest): Promise<StartedExploration> {
      const [{ exploreStories }, { STORIES }, { remoteSubject }, { checkPaths }] = await Promise.all([
        import("./explore.ts"),
        import("./stories.ts"),
        import("./remote.ts"),
        import("./state.ts"),
      ]);
      // Nothing is awaited from here until it is stored, so two calls at once cannot both begin.
      const running = [...stored.values()].find(({ result, error }) => result === null && error === null);
      if (running)
        throw new SandboxError(
          "invalid_state",
          `The exploration ${running.id} is under way, and only one runs at a time.`,
          `Wait for it, or cancel it: DELETE /_sandbox/explorations/${running.id}.`,
        );
      const { story: name, ignore = [], ordered = [], deviations = DEFAULT_DEVIATIONS } = request;
      const stories = STORIES.filter((one) => name === undefined || one.name === name);
      if (name !== undefined && stories.length === 0)
        throw unknownStory(
          name,
          STORIES.map((one) => one.name),
        );
      checkPaths(ignore, "ignore");
      checkPaths(ordered, "ordered");
      const { webhooks } = settings.payments;
      const secret = request.secret ?? webhooks.secret ?? process.env.SANDGLASS_WEBHOOK_SECRET;
      if (!secret) throw withoutSecret();
      const timeout = webhooks.timeout;
      const budget = request.budget === undefined ? MINUTE : parseDuration(request.budget);
      // Last, as it opens connections that an error would leave open.
      const subject = remoteSubject({
        url: readUrl("subscriber", request.subscriber, webhooks),
        stateUrl: readUrl("state", request.state, webhooks),
        resetBy: readUrl("reset", request.reset, webhooks),
        timeout,
      });
      const end = new AbortController();
      last += 1;
      const id = `exp_${last}`;
      const started: Changing<StartedExploration> = {
        id,
        asked: {
          subscriber: request.subscriber,
          state: request.state,
          reset: request.reset,
          story: name ?? null,
          ignore,
          ordered,
          deviations,
          hasSecret: request.secret !== undefined,
        },
        ...{ progress: null, result: null, error: null },
        done: Promise.resolve(),
        cancel: () => end.abort(),
      };
      started.done = exploreStories({
        subject,
        stories,
        secret,
        timeout,
        budget,
        settings,
        deviations,
        ignore,
        ordered,
        seed: request.seed ?? "explore",
        signal: end.signal,
        onProgress: (level) => {
          started.progress = { ...level };
        },
      })
        .then(
          (result) => Object.assign(started, { result }),
          (error: unknown) => Object.assign(started, { error }),
        )
        .then(() => subject.close());
      stored.set(id, started);
      for (const oldest of [...stored.keys()].slice(0, -STORED)) stored.delete(oldest);
      return started;
    },

    /** Cancels it if it is under way, and forgets it. */
    remove(id: string): void {
      find(id).cancel();
      stored.delete(id);
    },

    close(): void {
      for (const { cancel } of stored.values()) cancel();
    },
  };
}

function withoutSecret(): SandboxError {
  const inCode = 'For example {"secret": "whsec_test"}.';
  return new SandboxError(
    "bad_request",
    "The secret is missing: the text that the subscriber verifies signatures with.",
    {
      command: "Name it with --secret.",
      library: inCode,
      http: inCode,
      page: "Fill in the signing secret that your server was started with, such as whsec_test.",
    },
  );
}

/** A scenario of one's own is code that would run in this process: it is for the command line. */
function unknownStory(name: string, names: readonly string[]): SandboxError {
  const meant = closest(name, names);
  return new SandboxError(
    "not_found",
    `There is no story '${name.slice(0, 60)}'.`,
    `${meant ? `Did you mean ${meant}? ` : ""}Stories: ${names.join(", ")}. Scenarios of your own are for sandglass explore on the command line.`,
  );
}

/** @throws SandboxError `bad_request` for what is not an http or https URL, or one that the sandbox may not call */
function readUrl(field: string, text: string, webhooks: Settings["payments"]["webhooks"]): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) {
    checkReachable(field, text, webhooks);
    return text;
  }
  throw new SandboxError(
    "bad_request",
    `${field} must be an http or https URL, not '${text.slice(0, 100)}'.`,
    field === "reset"
      ? "Over HTTP, only a URL can reset the subscriber. A shell command is for sandglass explore on the command line."
      : 'For example "http://127.0.0.1:3000/state".',
  );
}
