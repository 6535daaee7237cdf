import type { Expect } from "expect";
import { invalidState, misuse } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import type { Sandbox } from "../library/index.ts";
import type { LogLine, ScenarioFailure } from "../reports/scenario-report.ts";
import { clip } from "../timeline/text.ts";
import { wallNow } from "../world/clock.ts";
import type { ParamValue, Scenario, ScenarioContext } from "./define.ts";
import type { ScenarioEvent } from "./event.ts";
import { failureOf, positionIn } from "./failure.ts";
import type { ScenarioFile } from "./files.ts";
import { openLedger } from "./ledger.ts";
import { openCalls } from "./open-calls.ts";
import { scenarioSandbox } from "./surface.ts";

/** An event that has no number yet. */
export type WithoutSeq<Event> = Event extends unknown ? Omit<Event, "seq"> : never;
/** An event sent by a running scenario. The receiver assigns its number. */
export type PlayEvent = Extract<WithoutSeq<ScenarioEvent>, { type: "step.started" | "step.ended" | "log" }>;

export interface PlayOptions {
  scenario: Pick<Scenario, "run">;
  /** The scenario's file. Positions are relative to `cwd`. */
  file: ScenarioFile;
  cwd: string;
  sandbox: Sandbox;
  expect: Expect;
  params: Record<string, ParamValue>;
  subscriber: string | null;
  tell: (event: PlayEvent) => void;
  /** Called when an expectation starts. */
  expected: () => void;
  /** Called with the calls that are still open when the scenario has returned. */
  waitsFor: (calls: string[]) => void;
}

/** The maximum number of stored log lines. It is more than anyone reads, and few enough to send and show. */
const MOST_LINES = 5_000;
const LONGEST_LINE = 10_000;
const LEFT_OUT = `More than ${MOST_LINES} lines were logged; the rest is omitted.`;

interface OpenStep {
  index: number;
  title: string;
  expectations: number;
  log: LogLine[];
}

/**
 * Runs a scenario in its world, and reports each step with its effects.
 * @returns the failure, if there is one
 */
export async function play(options: PlayOptions): Promise<ScenarioFailure | null> {
  const { scenario, file, cwd, sandbox, params, subscriber, tell } = options;
  const opened = new Set<Sandbox>();
  const calls = openCalls();
  const ledger = await openLedger(sandbox);
  let expectations = 0;
  let steps = 0;
  let lines = 0;
  let current: OpenStep | undefined;
  let failedIn: { error: unknown; title: string } | undefined;

  const expect = new Proxy(options.expect, {
    apply: (target, self, args) =>
      calls.watch(Reflect.apply(target, self, args), "expect(…)", countExpectation),
  });

  /** Counts only calls to matchers: `expect(value)` alone does not check anything. */
  function countExpectation(): void {
    expectations += 1;
    options.expected();
    if (current) current.expectations += 1;
  }

  async function step<Result>(title: string, work: () => Result | Promise<Result>): Promise<Result> {
    checkStep(title, work, current);
    const own: OpenStep = { index: steps, title: String(title), expectations: 0, log: [] };
    const caller: { stack?: string } = {};
    Error.captureStackTrace(caller, step);
    const position = positionIn(caller.stack ?? "", file, cwd);
    steps += 1;
    current = own;
    tell({ type: "step.started", at: ledger.now, index: own.index, title: own.title, position });
    await ledger.read();
    const startedAt = ledger.now;
    const began = wallNow();
    let result: "passed" | "failed" = "failed";
    try {
      const value = await work();
      result = "passed";
      return value;
    } catch (error) {
      failedIn = { error, title: own.title };
      throw error;
    } finally {
      const wall = { duration_ms: wallNow() - began };
      const entries = await ledger.read();
      const times = { started_at: startedAt, ended_at: ledger.now, wall };
      const { index, expectations, log } = own;
      tell({
        ...{ type: "step.ended", index, title: own.title, position, result, ...times },
        ...{ expectations, ledger: entries, log },
      });
      current = undefined;
    }
  }

  function log(text: string): void {
    lines += 1;
    if (lines > MOST_LINES + 1) return;
    const line = { at: ledger.now, text: lines > MOST_LINES ? LEFT_OUT : clip(String(text), LONGEST_LINE) };
    current?.log.push(line);
    tell({ type: "log", ...line, step: current?.index ?? null });
  }

  const context: ScenarioContext = {
    sandbox: scenarioSandbox(sandbox, {
      subscriber,
      clockAt: (at) => {
        ledger.now = at;
      },
      opened: (world) => opened.add(world),
      goBack: ledger.goBack,
      watch: (world) => calls.watch(world, "sandbox"),
    }),
    step,
    expect,
    params,
    log,
    subscriber,
  };
  const failure = await judge();
  for (const world of opened) await world.close().catch(() => {});
  return failure;

  async function judge(): Promise<ScenarioFailure | null> {
    try {
      await scenario.run(context);
      if (!current) await calls.ended(options.waitsFor);
    } catch (error) {
      const step = failedIn && failedIn.error === error ? failedIn.title : (current?.title ?? null);
      return failureOf(error, step, file, cwd);
    }
    // A failed step fails the scenario, even if the error was caught. A step that expects an error must catch it
    // itself.
    if (failedIn) return failureOf(failedIn.error, failedIn.title, file, cwd);
    return whyIncomplete(current?.title ?? null, expectations);
  }
}

/** @throws SandboxError `bad_request`, or `invalid_state` for a step inside another */
function checkStep(title: string, work: unknown, open: OpenStep | undefined): void {
  if (typeof work !== "function")
    throw misuse(
      `The step '${title}' needs a function, not ${shownValue(work)}.`,
      'Write: await step("The customer pays", () => sandbox.payments.pay("coffee"));',
    );
  if (open)
    throw invalidState(
      `The step '${title}' started while the step '${open.title}' was still in progress.`,
      "Await each step before the next, and do not nest steps.",
    );
}

/** The reason why a scenario that returned without an error did not pass. */
function whyIncomplete(step: string | null, expectations: number): ScenarioFailure | null {
  const base = { position: null, step };
  if (step !== null)
    return {
      ...base,
      code: "step_not_awaited",
      message: `The scenario ended while its step '${step}' was still in progress.`,
      hint: "Add await before step(…).",
    };
  if (expectations > 0) return null;
  return {
    ...base,
    code: "nothing_expected",
    message: "The scenario ended without a single expectation, so it could not have failed.",
    hint: "Check the results with the expect function that run receives.",
  };
}
