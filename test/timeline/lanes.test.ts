import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MINUTE } from "../../src/timeline/duration.ts";
import { groupMarks } from "../../src/timeline/groups.ts";
import { layOut, MOST_LANES, type Thread } from "../../src/timeline/lanes.ts";
import { type Mark, marksOf } from "../../src/timeline/marks.ts";
import type { Timeline, TimelineAttempt } from "../../src/timeline/schemas.ts";
import { DEFAULT_POLICY, forecast } from "../../src/webhooks/policy.ts";
import { join } from "../../ui/models/timeline/data.ts";
import { attempt, iso, NONE, START, timeline } from "../support/timelines.ts";

const DELAYS = [1, 10, 60];
const MOST_FAILURES = 10;

type Command = "fail" | "mend" | "pay" | "retry" | "enable" | number;

/**
 * Creates an endpoint that receives payments, fails, works again, is enabled, and retries while time passes, in
 * minutes.
 */
function createEndpoint() {
  const attempts: TimelineAttempt[] = [];
  const skipped: Timeline["skipped"] = [];
  const changes: Timeline["changes"] = [{ type: "created", reason: null, at: iso(0) }];
  const due = new Map<string, { attempt: number; at: number }>();
  const missed = new Set<string>();
  let [now, failures, events] = [0, 0, 0];
  let [failing, disabled] = [false, false];
  const begun = new Map<string, number>();

  function send(event: string, trigger: "automatic" | "manual", number: number): void {
    begun.set(event, number);
    failures = failing ? failures + 1 : 0;
    attempts.push(
      attempt(now, {
        delivery_id: `del_${attempts.length}`,
        event_id: event,
        attempt: number,
        trigger,
        status: failing ? "failed" : "success",
        consecutive_failures: failures,
      }),
    );
    due.delete(event);
    if (!failing) return void missed.delete(event);
    missed.add(event);
    const delay = trigger === "automatic" ? DELAYS[number - 1] : undefined;
    if (delay !== undefined) due.set(event, { attempt: number + 1, at: now + delay });
    if (failures < MOST_FAILURES || disabled) return;
    disabled = true;
    changes.push({ type: "disabled", reason: "consecutive_failures", at: iso(now) });
    for (const [id, plan] of due)
      skipped.push({
        event_id: id,
        event: "payment.completed",
        attempt: plan.attempt,
        at: iso(now),
        reason: "endpoint_disabled",
      });
    due.clear();
  }

  return {
    do(command: Command): void {
      if (command === "fail" || command === "mend") failing = command === "fail";
      else if (command === "pay") {
        for (const part of ["p", "c"]) if (!disabled) send(`${part}${events}`, "automatic", 1);
        events += 1;
      } else if (command === "retry") {
        for (const event of [...missed]) if (!disabled) send(event, "manual", begun.get(event)! + 1);
      } else if (command === "enable") {
        if (disabled) changes.push({ type: "enabled", reason: "dashboard", at: iso(now) });
        disabled = false;
        failures = 0;
      } else {
        const end = now + command;
        for (;;) {
          const next = [...due].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at)[0];
          if (!next) break;
          now = next[1].at;
          send(next[0], "automatic", next[1].attempt);
        }
        now = end;
      }
    },
    timeline(): Timeline {
      const planned = [...due].map(([id, plan]) => ({ id, ...plan, iso: iso(plan.at) }));
      const ahead = forecast(
        DEFAULT_POLICY,
        { status: disabled ? "disabled" : "enabled", consecutiveFailures: failures, firstFailedAt: null },
        planned.map(({ id, attempt: number, at }) => ({
          eventId: id,
          attempt: number,
          dueAt: START + at * MINUTE,
        })),
      );
      return timeline({
        now: iso(now),
        attempts: [...attempts],
        skipped: [...skipped],
        changes: [...changes],
        planned: planned.map(({ id, attempt: number, iso: at }) => ({
          event_id: id,
          event: "payment.completed",
          attempt: number,
          due_at: at,
        })),
        forecast: {
          attempts: ahead.attempts.map(({ eventId, attempt: number, dueAt }) => ({
            event_id: eventId,
            attempt: number,
            due_at: new Date(dueAt).toISOString(),
          })),
          disabled_at: null,
        },
      });
    },
  };
}

/** The number of events that get a lane of their own. */
const OWN = 6;
const draw = (shown: Timeline) => {
  const marks = marksOf(shown);
  const threads = layOut(marks, { own: OWN });
  return { threads, groups: groupMarks(marks, threads, (at) => at / MINUTE) };
};

const overlap = (one: Thread, other: Thread) => one.from <= other.to && other.from <= one.to;

describe("the lanes of a timeline", () => {
  const events = (count: number, minutes: (index: number) => number): Mark[] =>
    marksOf(
      timeline({
        planned: [],
        forecast: NONE,
        attempts: Array.from({ length: count }, (_, index) =>
          attempt(minutes(index), { event_id: `e${index}`, delivery_id: `d${index}`, status: "success" }),
        ),
      }),
    );
  const lanesOf = (...layout: Parameters<typeof layOut>) =>
    [...layOut(...layout).values()].map(({ lane }) => lane);

  test("consecutive events share a lane, and simultaneous ones get separate lanes", () => {
    expect(lanesOf(events(3, (index) => index))).toEqual([0, 0, 0]);
    expect(
      lanesOf(
        events(4, (index) => index),
        { own: 2 },
      ),
    ).toEqual([0, 1, 0, 1]);
    expect(lanesOf(events(3, () => 0))).toEqual([0, 1, 2]);
    expect(Math.max(...lanesOf(events(40, () => 0)))).toBe(MOST_LANES - 1);
  });

  test("an event keeps its lane in a later drawing, unless the lane is taken", () => {
    const later = layOut(
      events(3, (index) => index),
      { own: 3 },
    );
    expect(
      lanesOf(
        events(2, (index) => index),
        { wanted: later },
      ),
    ).toEqual([0, 1]);
    const same = new Map([...later].map(([id, thread]) => [id, { ...thread, lane: 2 }]));
    expect(
      lanesOf(
        events(2, () => 0),
        { wanted: same },
      ),
    ).toEqual([2, 0]);
  });

  test("an event's lane extends from its first attempt to the last possible one", () => {
    const [thread] = layOut(marksOf(timeline())).values();
    expect([thread!.from, thread!.made, thread!.to].map((at) => (at - START) / MINUTE)).toEqual([0, 1, 71]);
  });
});

test("a live timeline looks the same as after a reload, and separates events while there is room", () => {
  const round = fc.tuple(
    fc.constantFrom<Command>("fail", "fail", "mend"),
    fc.constantFrom<Command>("pay", "pay", 0),
    fc.constantFrom<Command>(1, 9, 60, 180),
    fc.constantFrom<Command>("enable", "mend", 0),
    fc.constantFrom<Command>("retry", "retry", 0),
  );
  let [lateRetries, runs] = [0, 0];
  fc.assert(
    fc.property(fc.array(round, { minLength: 2, maxLength: 6, size: "max" }), (rounds) => {
      const endpoint = createEndpoint();
      let live = endpoint.timeline();
      for (const one of rounds.flat()) {
        const known = live.attempts.length;
        endpoint.do(one);
        const read = endpoint.timeline();
        // The page reads the new attempts, and also a few of those that it already has.
        const latest = { attempts: read.attempts.slice(Math.max(0, known - 2)), earlier: read.earlier };
        live = { ...read, ...join(live, latest) };
      }
      const [drawn, reloaded] = [draw(live), draw(endpoint.timeline())];
      expect(drawn).toEqual(reloaded);
      const threads = [...drawn.threads.values()];
      for (const [index, one] of threads.entries())
        for (const other of threads.slice(index + 1))
          if (one.lane === other.lane && !one.crowded && !other.crowded)
            expect(overlap(one, other)).toBe(false);
      if (threads.length <= OWN)
        for (const { marks } of drawn.groups.flat())
          expect(new Set(marks.map(({ eventId }) => eventId)).size).toBe(1);
      runs += 1;
      // A case that used to be drawn wrong: an event is retried after a later event has started.
      const late = live.attempts.some(({ trigger, event_id: id, started_at: at }) => {
        const begun = drawn.threads.get(id)!.from;
        return trigger === "manual" && threads.some(({ from }) => from > begun && from < Date.parse(at));
      });
      if (late) lateRetries += 1;
    }),
    { numRuns: 300 },
  );
  expect(
    lateRetries / runs,
    `an old event was retried in ${lateRetries} of ${runs} programs`,
  ).toBeGreaterThan(0.2);
});
