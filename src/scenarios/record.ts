import type { ScenarioReport, StepReport } from "../reports/scenario-report.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { MOST_CALLS } from "../timeline/calls.ts";
import type { ScenarioEvent } from "./event.ts";

/** Builds the result of a run from its events. */
export interface RunRecord {
  /** The title of the step that is currently running. */
  readonly openStep: string | null;
  add(event: ScenarioEvent): void;
  /** The latest API calls during the failed step with this title or, without a title, anywhere in the world. */
  callsOf(step: string | null): ScenarioReport["calls"];
  /** The steps and the log of a run that ended at `at`. An unfinished step counts as failed. */
  close(at: string): Pick<ScenarioReport, "steps" | "log">;
}

export function createRecord({ requests }: Pick<Sandbox, "requests">): RunRecord {
  const steps: StepReport[] = [];
  const log: ScenarioReport["log"] = [];
  let open: (Pick<StepReport, "title" | "position" | "log"> & { at: string }) | undefined;
  let callsBefore = requests.count();
  /** The API calls during failed steps, by title. */
  const failedCalls = new Map<string, ScenarioReport["calls"]>();
  const latestCalls = (): ScenarioReport["calls"] =>
    requests
      .list({ after: callsBefore, limit: MOST_CALLS })
      // Remove the world's name, because it differs in each run.
      .map(({ method, path, status, error }) => ({
        ...{ method, status, error },
        path: path.replace(/^\/w\/[^/]+/, ""),
      }));

  return {
    get openStep() {
      return open?.title ?? null;
    },
    add(event) {
      if (event.type === "step.started") {
        const { title, position, at } = event;
        open = { title, position, at, log: [] };
      } else if (event.type === "step.ended") {
        const { seq: _seq, type: _type, index: _index, ...ended } = event;
        steps.push(ended);
        open = undefined;
        if (ended.result === "failed") failedCalls.set(ended.title, latestCalls());
      } else if (event.type === "log") {
        const { at, text } = event;
        (event.step === null ? log : (open?.log ?? log)).push({ at, text });
      }
      if (/^step/.test(event.type)) callsBefore = requests.count();
    },
    callsOf: (step) => failedCalls.get(step ?? "") ?? latestCalls(),
    close(endedAt) {
      if (open) {
        const { at, ...step } = open;
        const times = { started_at: at, ended_at: endedAt, wall: { duration_ms: 0 } };
        steps.push({ ...step, ...times, result: "failed", expectations: 0, ledger: [] });
      }
      return { steps, log };
    },
  };
}
