import type { Hazard } from "../hazard.ts";
import { mustAccept, mustBeQuick, mustHandleOnce } from "../judge.ts";

const ONCE =
  "Store event and data.id of every handled event under a unique index, in the transaction that handles it. If they are already there, answer 2xx and do nothing.";
const refusing = "A refusal counts as a failure and causes the next retry.";

/** Duplicates, late retries and events out of order. */
export const REPEATS: Hazard[] = [
  {
    name: "duplicate",
    title: "The same delivery twice",
    why: `A delivery may be repeated unchanged, after a crash on either side. If you ship twice, you pay twice. ${refusing}`,
    fix: ONCE,
    mustAccept: true,
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
    fix: "Answer 2xx in any order. Do not let a payment.failed undo a paid order: compare the timestamps in the bodies, or ask the API for the current state.",
    mustAccept: true,
    requests: ({ material, craft }) =>
      [...material.story].reverse().map((event) => craft.request(event.event, event)),
    judge: (outcome) => {
      const judged = mustAccept(outcome);
      const note =
        "From outside only the answers can be seen. Look in your own data whether the order of order-story still counts as paid.";
      return judged.verdict === "pass" ? { ...judged, note } : judged;
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
