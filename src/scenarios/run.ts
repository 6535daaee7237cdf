import { messageOf } from "../errors/shown.ts";
import type { ScenarioFailure, ScenarioReport } from "../reports/scenario-report.ts";
import { trustedAuthorities } from "../runtime/trusted.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { formatDuration } from "../timeline/duration.ts";
import { wallNow, wallTimer } from "../world/clock.ts";
import { iso } from "../world/duration.ts";
import { type KnownScenario, READING_LIMIT } from "./catalog.ts";
import type { ParamValue } from "./define.ts";
import type { ScenarioEvent } from "./event.ts";
import { endpointsOf, mailOf, receiverHint } from "./outcome.ts";
import { shownParams } from "./params.ts";
import type { WithoutSeq } from "./play.ts";
import { createRecord } from "./record.ts";
import type { ThreadMessage } from "./thread.ts";
import { giveToThread } from "./threads.ts";

/** The URL that replaces the run's world's URL in reports, so reports do not depend on the port or the world's name. */
const WORLD_URL = "http://sandbox";

export interface RunOptions {
  scenario: KnownScenario;
  /** The run's own world, with a paused clock. */
  sandbox: Sandbox;
  params: Record<string, ParamValue>;
  subscriber: string | null;
  /** The time limit after the file has been read, in real milliseconds. */
  timeLimit: number;
  /** The folder to which file names are relative. */
  cwd: string;
  /** Called with each event in order. */
  tell: (event: ScenarioEvent) => void;
}

export interface StartedRun {
  /** The run's report. The promise never rejects. */
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
  const record = createRecord(sandbox);
  let seq = 0;

  /** Removes everything that depends on where the run takes place, so reports are the same everywhere. */
  const anywhere = <Told>(placeless: Told): Told =>
    JSON.parse(JSON.stringify(placeless).replaceAll(url, WORLD_URL).replaceAll(shownUrl, WORLD_URL)) as Told;

  function add(event: WithoutSeq<ScenarioEvent>): void {
    seq += 1;
    const placeless = anywhere({ seq, ...event } as ScenarioEvent);
    record.add(placeless);
    tell(placeless);
  }

  const shown = shownParams(params);
  add({ type: "run.started", at: startedAt, name: scenario.name, title: scenario.title, params: shown });
  const { path, file } = scenario;
  const expectations = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const authorities = trustedAuthorities();
  const worker = giveToThread({
    run: { path, file },
    url,
    authorities,
    cwd,
    params,
    subscriber,
    expectations,
  });
  for (const stream of [worker.stdout, worker.stderr])
    stream.on("data", (bytes: Buffer) => void process.stderr.write(bytes));

  const { promise: played, resolve: settle } = Promise.withResolvers<ScenarioFailure | null>();
  function giveUp(code: ScenarioFailure["code"], message: string, hint = ""): void {
    settle({ code, message, hint, step: record.openStep, position: null });
  }
  let cancelLimit = wallTimer(READING_LIMIT, () =>
    giveUp(
      "time_limit",
      `The scenario's file was not read within ${formatDuration(READING_LIMIT)} of real time.`,
    ),
  );
  let openCall: string | undefined;
  function limit(): void {
    cancelLimit();
    cancelLimit = wallTimer(timeLimit, () => {
      const [message, hint] = overLimit(timeLimit, openCall);
      giveUp("time_limit", message, hint);
    });
  }
  worker.on("message", (message: ThreadMessage) => {
    if ("played" in message) return settle(message.played);
    if ("playing" in message) return limit();
    if ("waitsFor" in message) [openCall] = message.waitsFor;
    if (!("event" in message)) return;
    const { event } = message;
    add(event.type === "log" && event.at === "" ? { ...event, at: now() } : event);
  });
  worker.on("error", (error) => giveUp("error", `It threw ${messageOf(error)}.`));
  worker.on("exit", (code) => {
    const message = `The scenario ended its process with exit code ${code}.`;
    giveUp("error", message, "A scenario must end by returning or by throwing an error.");
  });

  let gone: string | undefined;
  const forget = sandbox.onClose(() => {
    gone = now();
    giveUp("stopped", "The scenario's world ended before the scenario did.");
  });

  async function finish(): Promise<ScenarioReport> {
    const failure = await played;
    cancelLimit();
    await worker.terminate();
    forget();
    const endedAt = gone ?? now();
    if (failure?.hint === "" && subscriber !== null && gone === undefined)
      failure.hint = receiverHint(sandbox, before, subscriber);
    add({ type: "run.ended", at: endedAt, status: failure ? "failed" : "passed", failure });
    const { name, title, description } = scenario;
    return anywhere<ScenarioReport>({
      ...{ name, title, description, file, params: shown, subscriber, seed },
      ...{ started_at: startedAt, ended_at: endedAt },
      wall: { started_at: iso(began), duration_ms: wallNow() - began },
      expectations: Atomics.load(expectations, 0),
      endpoints: gone === undefined ? endpointsOf(sandbox, before, startedAt) : [],
      calls: failure === null ? [] : record.callsOf(failure.step),
      mail: gone === undefined ? mailOf(sandbox, before) : [],
      ...{ status: failure ? "failed" : "passed", failure, ...record.close(endedAt) },
    });
  }

  return { report: finish(), stop: () => giveUp("stopped", "The scenario was stopped before it finished.") };
}

/**
 * The message and hint for a run that exceeded its time limit.
 * @param openCall a call that was still open when `run` returned
 */
function overLimit(timeLimit: number, openCall: string | undefined): [message: string, hint: string] {
  const limit = `time limit of ${formatDuration(timeLimit)} of real time`;
  if (openCall === undefined)
    return [
      `The scenario did not finish within its ${limit}.`,
      "Virtual time does not count: check what it is waiting for, or allow more time with --timeout.",
    ];
  return [
    `The scenario's run returned, but ${openCall} was still in progress at the ${limit}.`,
    "Add await before this call, and before each call to the function that contains it.",
  ];
}
