import { messageOf } from "../errors/shown.ts";
import type {
  ScenarioFailure,
  ScenarioReport,
  SourcePosition,
  StepReport,
} from "../reports/scenario-report.ts";
import { trustedAuthorities } from "../runtime/trusted.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { MOST_CALLS } from "../timeline/calls.ts";
import { formatDuration } from "../timeline/duration.ts";
import { wallNow, wallTimer } from "../world/clock.ts";
import { iso } from "../world/duration.ts";
import { type KnownScenario, READING_LIMIT } from "./catalog.ts";
import type { ParamValue } from "./define.ts";
import type { ScenarioEvent } from "./event.ts";
import { endpointsOf, mailOf, receiverHint } from "./outcome.ts";
import { shownParams } from "./params.ts";
import type { Played, WithoutSeq } from "./play.ts";
import type { ThreadMessage } from "./thread.ts";
import { giveToThread } from "./threads.ts";

/** The address of the run's own world in its report, whatever its port and name. */
const WORLD_URL = "http://sandbox";

export interface RunOptions {
  scenario: KnownScenario;
  /** The run's own world, with a paused clock. */
  sandbox: Sandbox;
  params: Record<string, ParamValue>;
  subscriber: string | null;
  /** How long the scenario may take after its file is read, in real milliseconds. */
  timeLimit: number;
  /** The folder that names of files are relative to. */
  cwd: string;
  /** Called with each event, in order. */
  tell: (event: ScenarioEvent) => void;
}

export interface StartedRun {
  /** It never rejects. */
  report: Promise<ScenarioReport>;
  stop: () => void;
}

/** Runs a scenario in its own thread, and builds the report from the thread's events. */
export function runScenario(options: RunOptions): StartedRun {
  const { scenario, sandbox, params, subscriber, timeLimit, cwd, tell } = options;
  const { url: shownUrl, seed } = sandbox.status();
  const url = sandbox.ownUrl();
  const now = () => iso(sandbox.world.clock.now());
  const startedAt = now();
  const began = wallNow();
  const before = sandbox.journal.lastSeq();
  const events: ScenarioEvent[] = [];
  let step: string | null = null;
  let callsBefore = sandbox.requests.count();
  /** The calls of failed steps, by title. */
  const failedCalls = new Map<string, ScenarioReport["calls"]>();
  const latestCalls = (): ScenarioReport["calls"] =>
    sandbox.requests
      .list({ after: callsBefore, limit: MOST_CALLS })
      // The world's name differs in each run.
      .map(({ method, path, status, error }) => ({
        ...{ method, status, error },
        path: path.replace(/^\/w\/[^/]+/, ""),
      }));

  /** Removes everything that depends on the place of the run, so that its reports are equal everywhere. */
  const anywhere = <Told>(placeless: Told): Told =>
    JSON.parse(JSON.stringify(placeless).replaceAll(url, WORLD_URL).replaceAll(shownUrl, WORLD_URL)) as Told;

  function add(event: WithoutSeq<ScenarioEvent>): void {
    const placeless = anywhere({ seq: events.length + 1, ...event } as ScenarioEvent);
    if (placeless.type === "step.started") step = placeless.title;
    if (placeless.type === "step.ended") step = null;
    if (placeless.type === "step.ended" && placeless.result === "failed")
      failedCalls.set(placeless.title, latestCalls());
    if (placeless.type === "step.started" || placeless.type === "step.ended")
      callsBefore = sandbox.requests.count();
    events.push(placeless);
    tell(placeless);
  }

  const shown = shownParams(params);
  add({ type: "run.started", at: startedAt, name: scenario.name, title: scenario.title, params: shown });
  const { path, file } = scenario;
  const expectations = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = giveToThread({
    run: { path, file },
    url,
    authorities: trustedAuthorities(),
    cwd,
    params,
    subscriber,
    expectations,
  });
  for (const stream of [worker.stdout, worker.stderr])
    stream.on("data", (bytes: Buffer) => void process.stderr.write(bytes));

  let settle: (played: Played) => void = () => {};
  const played = new Promise<Played>((resolve) => {
    settle = resolve;
  });
  function giveUp(code: ScenarioFailure["code"], message: string, hint = ""): void {
    settle({ failure: { code, message, hint, step, position: null } });
  }
  let cancelLimit = wallTimer(READING_LIMIT, () =>
    giveUp("time_limit", `Its file was not read within ${formatDuration(READING_LIMIT)} of real time.`),
  );
  let openCall: string | undefined;
  function limit(): void {
    cancelLimit();
    cancelLimit = wallTimer(timeLimit, () => {
      const limitText = `time limit of ${formatDuration(timeLimit)} of real time`;
      if (openCall === undefined)
        giveUp(
          "time_limit",
          `It did not end within its ${limitText}.`,
          "Virtual time costs none: see what it waits for, or give it longer with --timeout.",
        );
      else
        giveUp(
          "time_limit",
          `Its run returned, but ${openCall} was still under way at the ${limitText}.`,
          "Write await before it, and before each function that calls it.",
        );
    });
  }
  worker.on("message", (message: ThreadMessage) => {
    if ("played" in message) return settle(message.played);
    if ("playing" in message) return limit();
    if ("waitsFor" in message) {
      openCall = message.waitsFor[0];
      return;
    }
    if (!("event" in message)) return;
    const { event } = message;
    add(event.type === "log" && event.at === "" ? { ...event, at: now() } : event);
  });
  worker.on("error", (error) => giveUp("error", `It threw ${messageOf(error)}.`));
  worker.on("exit", (code) =>
    giveUp(
      "error",
      `It ended its process, with exit code ${code}.`,
      "A scenario ends by returning, or throws.",
    ),
  );

  let gone: string | undefined;
  const forget = sandbox.onClose(() => {
    gone = now();
    giveUp("stopped", "Its world was ended before it was.");
  });

  async function finish(): Promise<ScenarioReport> {
    const { failure } = await played;
    cancelLimit();
    await worker.terminate();
    forget();
    const endedAt = gone ?? now();
    if (failure?.hint === "" && subscriber !== null && gone === undefined)
      failure.hint = receiverHint(sandbox, before, subscriber);
    add({ type: "run.ended", at: endedAt, status: failure ? "failed" : "passed", failure });
    const { name, title, description } = scenario;
    return anywhere(
      reportOf(
        {
          name,
          title,
          description,
          file,
          params: shown,
          subscriber,
          seed,
          started_at: startedAt,
          ended_at: endedAt,
          wall: { started_at: iso(began), duration_ms: wallNow() - began },
          expectations: Atomics.load(expectations, 0),
          endpoints: gone === undefined ? endpointsOf(sandbox, before, startedAt) : [],
          calls: failure === null ? [] : (failedCalls.get(failure.step ?? "") ?? latestCalls()),
          mail: gone === undefined ? mailOf(sandbox, before) : [],
        },
        events,
      ),
    );
  }

  return { report: finish(), stop: () => giveUp("stopped", "It was stopped before its end.") };
}

/** The facts of the run in a report; its events have the rest. */
type RunFacts = Omit<ScenarioReport, "status" | "steps" | "failure" | "log">;

/** The report of a run's events. A step that never ended counts as failed. */
function reportOf(facts: RunFacts, events: readonly ScenarioEvent[]): ScenarioReport {
  const steps: StepReport[] = [];
  const log: ScenarioReport["log"] = [];
  let open:
    | { title: string; position: SourcePosition | null; at: string; log: ScenarioReport["log"] }
    | undefined;
  let end: Extract<ScenarioEvent, { type: "run.ended" }> | undefined;
  for (const event of events) {
    if (event.type === "step.started")
      open = { title: event.title, position: event.position, at: event.at, log: [] };
    else if (event.type === "step.ended") {
      const { seq: _seq, type: _type, index: _index, ...step } = event;
      steps.push(step);
      open = undefined;
    } else if (event.type === "log") {
      const line = { at: event.at, text: event.text };
      (event.step === null ? log : (open?.log ?? log)).push(line);
    } else if (event.type === "run.ended") end = event;
  }
  if (open)
    steps.push({
      title: open.title,
      position: open.position,
      result: "failed",
      started_at: open.at,
      ended_at: facts.ended_at,
      wall: { duration_ms: 0 },
      expectations: 0,
      ledger: [],
      log: open.log,
    });
  return { ...facts, status: end?.status ?? "failed", steps, failure: end?.failure ?? null, log };
}
