import type { Hazard } from "../hazard.ts";
import { mustAccept, mustBeQuick, mustHandleOnce } from "../judge.ts";

const ONCE =
  "Keep event and data.id of what you handled under a unique index, in the transaction that handles it; when they are there already, answer 2xx and do nothing.";
const refusing = "A refusal counts as failed, and brings the next retry.";

/** Duplicates, late retries and events out of order. */
export const REPEATS: Hazard[] = [
  {
    name: "duplicate",
    title: "The same delivery twice",
    why: `A delivery may come again as it was, after a crash on either side. Whoever ships twice, pays twice. ${refusing}`,
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
    why: `Two requests of one event may be under way side by side. To look first and write then is not enough: both look before either writes. ${refusing}`,
    fix: `${ONCE} Let the index decide, not a query before it, and take its refusal as "handled already".`,
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
    why: `Your answer came too late or was lost, so the platform sends the event again: the same body, a new delivery id, a new timestamp. ${refusing}`,
    fix: `${ONCE} The delivery id alone will not do, as it is new for each attempt.`,
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
    why: "The last retry comes 71 minutes after the event. Its body has the event's time, its timestamp header that of the attempt. Whoever refuses old bodies never gets what failed before.",
    fix: "Hold no age against it. What keeps replays harmless is that you keep what you handled: the timestamp header is not signed.",
    mustAccept: true,
    requests: ({ material, craft }) => [craft.request("the fourth attempt of an event", material.old)],
    judge: mustAccept,
  },
  {
    name: "reordered-events",
    title: "Later events before earlier ones",
    why: "Deliveries go out side by side, and a retry comes after what happened since. A failed payment may be told after the one that succeeded.",
    fix: "Answer 2xx in any order. Let a payment.failed not undo an order that is paid: compare the timestamps of bodies, or ask the API how things stand.",
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
    why: "After 30 seconds the platform gives up and sends the event again, while your first handling may still be at work.",
    fix: "Answer as soon as the event is verified and kept, and do the work afterwards, in a queue.",
    requests: () => [],
    judge: mustBeQuick,
  },
];
