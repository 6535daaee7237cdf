import type { Hazard } from "../hazard.ts";
import { mustAccept, mustBeQuick, mustHandleOnce, unseen } from "../judge.ts";

const ONCE =
  "Store event and data.id of every handled event under a unique index, in the transaction that handles it. If they are already there, answer 2xx and do nothing.";
/** A copy comes while the first is in progress, or an event before one that it builds on. */
const BUSY = [409, 425];
const NOT_YET = [...BUSY, 503];
const refusing = "A refusal counts as a failure and causes the next retry.";

/** Duplicates, late retries and events out of order. */
export const REPEATS: Hazard[] = [
  {
    name: "duplicate",
    title: "The same delivery twice",
    why: `A delivery may be repeated unchanged, after a crash on either side. If you ship twice, you pay twice. ${refusing}`,
    fix: ONCE,
    mustAccept: true,
    putOff: BUSY,
    watch: "after-first",
    requests: ({ material, craft }) => [
      craft.request("an event", material.fresh.duplicate),
      craft.request("the same delivery again", material.fresh.duplicate),
    ],
    judge: mustHandleOnce,
  },
  {
    name: "duplicate-at-once",
    title: "The same delivery twice at once",
    why: `Two requests for one event may arrive in parallel. Checking before writing is not enough: both check before either writes. ${refusing}`,
    fix: `${ONCE} Let the index decide instead of a query, and treat its refusal as "already handled".`,
    mustAccept: true,
    putOff: BUSY,
    together: true,
    watch: "pair",
    requests: ({ material, craft }) => [
      craft.request("an event", material.fresh["duplicate-at-once"]),
      craft.request("the same delivery beside it", material.fresh["duplicate-at-once"]),
    ],
    judge: mustHandleOnce,
  },
  {
    name: "late-retry",
    title: "A retry of an event that you handled",
    why: `Your answer was late or lost, so the platform sends the event again, with the same body, a new delivery id and a new timestamp. ${refusing}`,
    fix: `${ONCE} The delivery id alone is not enough, because every attempt has a new one.`,
    mustAccept: true,
    putOff: BUSY,
    watch: "after-first",
    requests: ({ material, craft }) => [
      craft.request("the first attempt of an event", material.retried[0]!),
      craft.request("its retry a minute later", material.retried[1]!),
    ],
    judge: mustHandleOnce,
  },
  {
    name: "old-event",
    title: "An event that is an hour old",
    why: "The last retry comes 71 minutes after the event. Its body has the time of the event, its timestamp header the time of the attempt. If you refuse old bodies, you never get events that failed at first.",
    fix: "Do not refuse an event for its age. Storing what you handled is what makes replays harmless: the timestamp header is not signed.",
    mustAccept: true,
    requests: ({ material, craft }) => [craft.request("the fourth attempt of an event", material.old)],
    judge: mustAccept,
  },
  {
    name: "reordered-events",
    title: "Events out of order",
    why: "Deliveries are sent in parallel, and a retry comes after newer events. So a failed payment may be announced after the one that succeeded.",
    fix: "Answer 2xx in any order, or 503 until what an event builds on is there. Do not let a payment.failed undo a paid order: compare the timestamps in the bodies, or ask the API for the current state.",
    mustAccept: true,
    putOff: NOT_YET,
    watch: "last",
    requests: ({ material, craft }) =>
      [...material.story].reverse().map((event) => craft.request(event.event, event)),
    judge: (outcome) => {
      const judged = mustAccept(outcome);
      if (judged.verdict !== "pass") return judged;
      if (outcome.state === "once")
        return { ...judged, summary: `${judged.summary}; its state shows that the last one changed nothing` };
      return unseen(
        judged,
        outcome.state === null
          ? "Only the answers are visible. Check in your own data whether order-story still counts as paid, or pass a state URL."
          : "The late payment.failed changed the state. Check in your own data whether order-story still counts as paid.",
      );
    },
  },
  {
    name: "slow-answer",
    title: "How long your answers take",
    why: "After 30 seconds the attempt times out and the platform sends the event again, while your first handler may still be running.",
    fix: "Answer as soon as the event is verified and stored, and do the work afterwards, in a queue.",
    requests: () => [],
    judge: mustBeQuick,
  },
];
