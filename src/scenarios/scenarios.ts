import { resolve } from "node:path";
import type { From, Settings } from "../config/config.ts";
import { hintOfOption, invalidDuration, invalidState, misuse, notFound } from "../errors/errors.ts";
import type { NewRun, ScenarioReport } from "../reports/scenario-report.ts";
import { withScheme } from "../runtime/http-url.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Worlds } from "../sandbox/worlds.ts";
import { parseDuration, SECOND } from "../world/duration.ts";
import { type Catalog, createCatalog, type KnownScenario } from "./catalog.ts";
import type { ParamValue } from "./define.ts";
import type { ScenarioEvent } from "./event.ts";
import { readParams, shownParams } from "./params.ts";
import { type RunOptions, runScenario, type StartedRun } from "./run.ts";
import { settingsFor, withSenders } from "./settings.ts";

/** The default time limit of a run, in real milliseconds. */
export const TIME_LIMIT = 60 * SECOND;
/** The maximum number of runs at the same time. Any additional runs wait. */
const AT_ONCE = 2;
/** How many finished runs are stored with their worlds. Older ones are deleted unless they are held. */
const KEPT = 20;

export interface RunRequest extends Omit<NewRun, "params"> {
  /** The parameters' values. Strings are converted to the types of the scenario's parameters. */
  params?: Readonly<Record<string, unknown>> | undefined;
  /** The state that the run's world starts from. It overrides the configuration and the scenario. */
  from?: From | undefined;
  /** Keeps the run and its world until the server stops. */
  hold?: boolean;
}

/** A run of a scenario, which may be waiting, running or finished. */
export interface Run {
  id: string;
  scenario: KnownScenario;
  world: string;
  url: string;
  params: Record<string, ParamValue>;
  events: readonly ScenarioEvent[];
  /** The run's report; undefined until the run ends. */
  readonly report: ScenarioReport | undefined;
  /** Resolves with the report when the run ends. It never rejects. */
  done: Promise<ScenarioReport>;
  stop: () => void;
  held: boolean;
  /** Calls the listener with each future event. Returns a function that removes the listener. */
  follow: (listener: (event: ScenarioEvent) => void) => () => void;
}

export interface ScenariosOptions {
  worlds: Worlds;
  settings: Settings;
  cwd: string;
}

/** A server's scenarios and their runs. See docs/scenarios.md. */
export interface Scenarios extends Catalog {
  /** @throws SandboxError `not_found` */
  run(id: string): Run;
  runs(): Run[];
  /** Stops a run if it is in progress, and removes its world. */
  remove(id: string): void;
  /**
   * Queues a scenario to run in a fresh world with a paused clock.
   * @throws SandboxError `bad_request` for invalid parameters, an invalid subscriber or time limit; `invalid_state` in a
   *   sandbox without a port
   */
  start(scenario: KnownScenario, request?: RunRequest): Promise<Run>;
  /**
   * Runs a scenario in an existing world with a paused clock. The world stays open afterwards.
   * @throws SandboxError `bad_request` for invalid parameters
   */
  playIn(sandbox: Sandbox, scenario: KnownScenario, values?: RunRequest["params"]): Promise<ScenarioReport>;
  /** Stops running scenarios. Queued runs end as soon as their turn comes. */
  close(): Promise<void>;
}

export function createScenarios({ worlds, settings, cwd }: ScenariosOptions): Scenarios {
  const catalog = createCatalog({ cwd, folder: resolve(cwd, settings.scenarios) });
  const runs = new Map<string, Run>();
  const turn = createTurns(AT_ONCE);
  let last = 0;

  function forgetOld(): void {
    for (const [id, run] of runs) {
      if (runs.size <= KEPT) return;
      if (run.report && !run.held) remove(id);
    }
  }

  function remove(id: string): void {
    const run = find(id);
    run.stop();
    runs.delete(id);
    void run.done.then(() => {
      if (worlds.has(run.world)) worlds.remove(run.world);
    });
  }

  function find(id: string): Run {
    const run = runs.get(id);
    if (run) return run;
    throw notFound(
      `There is no scenario run '${id.slice(0, 100)}'${last > 0 ? " any more" : ""}.`,
      `The latest ${KEPT} are stored: GET /_sandbox/scenarios/runs lists them.`,
    );
  }

  return {
    ...catalog,
    run: find,
    runs: () => [...runs.values()],
    remove,

    async start(scenario, request = {}) {
      if (settings.webhooks.inside)
        throw invalidState(
          "A sandbox without a port cannot run scenarios, because they reach their world through its port.",
          "Create it with a port, or run them with: npx sandglass run.",
        );
      const { secret, timeout } = request;
      const params = readParams(scenario.name, scenario.params, request.params ?? {});
      const timeLimit = timeout === undefined ? TIME_LIMIT : parseDuration(timeout);
      if (timeLimit === 0)
        throw invalidDuration(
          "The time limit must be longer than 0.",
          hintOfOption(
            "--timeout",
            "timeout",
            (option) => `For example: ${option} 30s, or leave it out: 60s.`,
          ),
        );
      const subscriber = request.subscriber === undefined ? null : readSubscriber(request.subscriber);
      last += 1;
      const id = `run_${last}`;
      const receiver = subscriber === null ? null : { url: subscriber, secret };
      const sandbox = await worlds.create({
        name: freeWorld(last),
        settings: {
          ...(await withSenders(scenario, settingsFor(scenario, settings, receiver), cwd)),
          dataDir: undefined,
          clock: { mode: "paused", rate: 1 },
          ...(request.from === undefined ? {} : { from: request.from }),
        },
      });
      const held = request.hold ?? false;
      const run = queueRun({ id, held, scenario, sandbox, params, subscriber, timeLimit, cwd }, turn);
      runs.set(id, run);
      void run.done.then(forgetOld);
      return run;
    },

    async playIn(sandbox, scenario, values = {}) {
      const params = readParams(scenario.name, scenario.params, values);
      const rest = { subscriber: null, timeLimit: TIME_LIMIT, cwd, tell: () => {} };
      return runScenario({ scenario, sandbox, params, ...rest }).report;
    },

    async close() {
      for (const run of runs.values()) run.stop();
      await Promise.all([...runs.values()].map(({ done }) => done));
    },
  };

  function freeWorld(number: number): string {
    const name = `run-${number}`;
    return worlds.has(name) ? freeWorld(number + 1) : name;
  }
}

/** Parses a subscriber's URL. @throws SandboxError `bad_request` */
function readSubscriber(text: string): string {
  const whole = withScheme(text);
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw misuse(
    `'${text.slice(0, 100)}' is not a subscriber URL.`,
    "For example: http://127.0.0.1:3000/webhooks.",
  );
}

/** Limits how many tasks run at the same time. @param most the maximum number */
function createTurns(most: number) {
  const waiting: (() => void)[] = [];
  let underWay = 0;

  return async function turn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (underWay >= most) await new Promise<void>((begin) => waiting.push(begin));
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
      waiting.shift()?.();
    }
  };
}

/** Creates a run that starts when it reaches the front of the queue. */
function queueRun(
  { id, held, ...options }: Omit<RunOptions, "tell"> & Pick<Run, "id" | "held">,
  turn: ReturnType<typeof createTurns>,
): Run {
  const { scenario, sandbox, params } = options;
  const { world, url } = sandbox.status();
  const events: ScenarioEvent[] = [];
  const listeners = new Set<(event: ScenarioEvent) => void>();
  let started: StartedRun | undefined;
  let stopped = false;
  let report: ScenarioReport | undefined;

  const tell = (event: ScenarioEvent) => {
    events.push(event);
    for (const listener of listeners) listener(event);
  };

  async function play(): Promise<ScenarioReport> {
    started = runScenario({ ...options, tell });
    if (stopped) started.stop();
    report = await started.report;
    return report;
  }

  return {
    ...{ id, held, scenario, world, url, events },
    params: shownParams(params),
    get report() {
      return report;
    },
    done: turn(play),
    stop() {
      stopped = true;
      started?.stop();
    },
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
