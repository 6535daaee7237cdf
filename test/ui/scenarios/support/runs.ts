import type {
  Failure,
  Report,
  Run,
  RunEvent,
  RunListener,
  StepReport,
} from "../../../../ui/models/scenarios/api.ts";

const BEGIN = Date.parse("2026-01-15T09:00:00.000Z");

/** A virtual instant, so many minutes after the run began. */
export const at = (minutes: number): string => new Date(BEGIN + minutes * 60_000).toISOString();

export function stepOf(over: Partial<StepReport>): StepReport {
  return {
    title: "Pay",
    position: null,
    result: "passed",
    started_at: at(0),
    ended_at: at(0),
    wall: { duration_ms: 1 },
    expectations: 0,
    ledger: [],
    log: [],
    ...over,
  };
}

const failureOf = (code: Failure["code"], step: string | null): Failure => ({
  code,
  message: "It was not so.",
  hint: "",
  step,
  position: null,
});

interface ReportParts {
  steps: StepReport[];
  log?: Report["log"];
  failed: boolean;
}

export function reportWith({ steps, log = [], failed }: ReportParts): Report {
  return {
    name: "story",
    title: "A story",
    description: "",
    file: "scenarios/story.ts",
    status: failed ? "failed" : "passed",
    params: {},
    subscriber: null,
    seed: "empty",
    started_at: at(0),
    ended_at: steps.at(-1)?.ended_at ?? at(0),
    wall: { started_at: at(0), duration_ms: 12 },
    expectations: 0,
    steps,
    failure: failed ? failureOf("expectation", steps.at(-1)?.title ?? null) : null,
    log,
    endpoints: [],
    calls: [],
    mail: [],
  };
}

/** The events that a server tells of the run that a report is of. */
export function eventsOf(report: Report): RunEvent[] {
  const events: RunEvent[] = [];
  const add = (event: unknown) =>
    void events.push({ seq: events.length + 1, ...(event as object) } as RunEvent);
  add({ type: "run.started", at: report.started_at });
  for (const line of report.log) add({ type: "log", ...line, step: null });
  report.steps.forEach((step, index) => {
    add({ type: "step.started", at: step.started_at, index, title: step.title, position: step.position });
    for (const line of step.log) add({ type: "log", ...line, step: index });
    add({ type: "step.ended", index, ...step });
  });
  add({ type: "run.ended", at: report.ended_at, status: report.status, failure: report.failure });
  return events;
}

export const endOf = (seq: number, code: Failure["code"], step: string | null): RunEvent => ({
  seq,
  type: "run.ended",
  at: at(0),
  status: "failed",
  failure: failureOf(code, step),
});

export function runOf(over: Partial<Run> = {}): Run {
  return {
    id: "run_1",
    scenario: "story",
    title: "A story",
    status: "running",
    world: "run-1",
    url: "http://127.0.0.1:4400/w/run-1",
    params: {},
    file: "scenarios/story.ts",
    source: null,
    report: null,
    ...over,
  };
}

/** A server with one run, and those who follow it. */
export function fakeServer(first: Run = runOf()) {
  const followers: { listener: RunListener; closed: boolean }[] = [];
  const server = {
    /** What it answers: the run, or why not. */
    answer: first as Run | Error,
    reads: 0,
    followers,
    last: () => followers.at(-1)!,
    tell(...events: RunEvent[]): void {
      for (const event of events) server.last().listener.event(event);
    },
    api: {
      async run(): Promise<Run> {
        server.reads += 1;
        if (server.answer instanceof Error) throw server.answer;
        return server.answer;
      },
      follow(_id: string, listener: RunListener) {
        const follower = { listener, closed: false };
        followers.push(follower);
        return () => {
          follower.closed = true;
        };
      },
    },
  };
  return server;
}
