import { formatDuration } from "../../timeline/duration.ts";
import { listed } from "../../timeline/text.ts";
import { mustAccept, mustBeQuick, mustHandle, mustHandleOnce, unseen } from "../check/judge.ts";
import { AT_ONCE, WARM_UP } from "../check/material.ts";
import type { Terms } from "../check/terms.ts";
import type { Hazard } from "./hazard.ts";

/** A copy comes while the first is in progress, or an event before one that it builds on. */
const BUSY = [409, 425];
const NOT_YET = [...BUSY, 503];

/** Duplicates, late retries and events out of order. */
export function repeatHazards(terms: Terms): Hazard[] {
  const { name, key, facts, policy, span } = terms;
  const ONCE = `Store ${key} of every handled event under a unique index, in the transaction that handles it. If they are already there, answer 2xx and do nothing.`;
  const isRetried = policy.retryDelays.length > 0;
  const refusing = isRetried
    ? "A refusal counts as a failure and causes the next retry."
    : "A refusal counts as a failure.";
  const hasDeliveryId =
    facts === null || Object.values(facts.headers).some((text) => text.includes("{delivery}"));
  const isTimed = facts !== null && /\{time\}/.test(`${facts.signature.over} ${facts.signature.header}`);
  const timed = facts === null ? "timestamp" : isTimed ? "signature" : undefined;
  const renewed = [...(hasDeliveryId ? ["a new delivery id"] : []), ...(timed ? [`a new ${timed}`] : [])];
  return [
    {
      name: "duplicate",
      title: "The same delivery twice",
      why: `A delivery may be repeated unchanged, after a crash on either side. If you ship twice, you pay twice. ${refusing}`,
      fix: ONCE,
      mustAccept: true,
      putOff: BUSY,
      watch: "after-first",
      requests: ({ material, craft }) => [
        craft.request("an event", material.fresh("duplicate")),
        craft.request("the same delivery again", material.fresh("duplicate")),
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
      together: [WARM_UP, ...Array<number>(AT_ONCE).fill(2)],
      watch: "pair",
      requests: ({ material, craft }) => {
        const event = (index: number) => material.fresh(`duplicate-at-once, ${index + 1}`);
        return [
          ...Array.from({ length: WARM_UP }, (_, index) =>
            craft.request(`one of ${WARM_UP} events at once`, event(index)),
          ),
          ...Array.from({ length: AT_ONCE }, (_, index) => [
            craft.request("an event", event(WARM_UP + index)),
            craft.request("the same delivery beside it", event(WARM_UP + index)),
          ]).flat(),
        ];
      },
      judge: (outcome) => mustHandleOnce(outcome, AT_ONCE),
    },
    {
      name: "late-retry",
      title: "A retry of an event that you handled",
      why: `Your answer was late or lost, so ${name} sends the event again, with ${listed(["the same body", ...renewed])}. ${refusing}`,
      fix: hasDeliveryId
        ? `${ONCE} The delivery id alone is not enough, because every attempt has a new one.`
        : ONCE,
      mustAccept: true,
      putOff: BUSY,
      watch: "after-first",
      requests: ({ material, craft }) => [
        craft.request("the first attempt of an event", material.retried!.first),
        craft.request(`its retry ${formatDuration(policy.retryDelays[0]!)} later`, material.retried!.again),
      ],
      judge: mustHandleOnce,
    },
    {
      name: "old-event",
      title: `An event that is ${span} old`,
      why: `The last retry comes ${span} after the event. Its body has the time of the event${timed ? `, its ${facts === null ? "timestamp header" : "signature"} the time of the attempt` : ""}. If you refuse old bodies, you never get events that failed at first.`,
      fix: `Do not refuse an event for its age. ${facts === null ? "Storing what you handled is what makes replays harmless: the timestamp header is not signed." : "What tells a replay is the time in the signature, where it has one."}`,
      mustAccept: true,
      watch: "effect",
      requests: ({ material, craft }) => [craft.request("the last attempt of an event", material.old!)],
      judge: mustHandle,
    },
    {
      name: "reordered-events",
      title: "Events out of order",
      why: `Deliveries are sent in parallel${isRetried ? ", and a retry comes after newer events" : ""}. So an event may arrive after a newer one.`,
      fix: "Answer 2xx in any order, or 503 until what an event builds on is there. Do not let an older event undo what a newer one did: compare the timestamps in the bodies, or ask the API for the current state.",
      mustAccept: true,
      putOff: NOT_YET,
      watch: "last",
      requests: ({ material, craft }) =>
        [...material.story].reverse().map((event) => craft.request(event.type, event)),
      judge: (outcome) => {
        const judged = mustAccept(outcome);
        if (judged.verdict !== "pass") return judged;
        if (outcome.state === "once")
          return {
            ...judged,
            summary: `${judged.summary}; its state shows that the last one changed nothing`,
          };
        return unseen(
          judged,
          outcome.state === null
            ? "Only the answers are visible. Check in your own data whether it is as if they had come in order, or pass a state URL."
            : `The late ${outcome.answers.at(-1)!.request.what} changed the state. Whether that differs from their order, explore finds out: it compares the states.`,
        );
      },
    },
    {
      name: "slow-answer",
      title: "How long your answers take",
      why: `After ${formatDuration(policy.timeout)} the attempt times out and ${isRetried ? `${name} sends the event again` : "counts as failed"}, while your first handler may still be running.`,
      fix: "Answer as soon as the event is verified and stored, and do the work afterwards, in a queue.",
      requests: () => [],
      judge: (outcome) => mustBeQuick(outcome, policy.timeout / 6),
    },
  ];
}
