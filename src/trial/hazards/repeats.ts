import { formatDuration } from "../../timeline/duration.ts";
import { listed } from "../../timeline/text.ts";
import { mustHandleOnce } from "../check/judge.ts";
import { AT_ONCE, WARM_UP } from "../check/material.ts";
import type { Terms } from "../check/terms.ts";
import type { Draft } from "./hazard.ts";
import { once } from "./impossible.ts";

/** Acceptable statuses for a duplicate that arrives while the first request is in progress. */
const BUSY = [409, 425];

/** Where a request contains the attempt's time, if the sender includes it. */
export function attemptTime({ facts }: Terms): "timestamp" | "signature" | undefined {
  const { signature, headers } = facts;
  if (/\{time\}/.test(`${signature.over} ${signature.header}`)) return "signature";
  return Object.values(headers).includes("{time}") ? "timestamp" : undefined;
}

/** Hazards with duplicates and late retries. */
export function repeatHazards(terms: Terms): Draft[] {
  const { name, key, facts, policy, sells } = terms;
  const ONCE = `Store ${key} of every event that you handle, with a unique index, in the same transaction that handles the event. If the event is already stored, respond with 2xx and do nothing.`;
  const refusing =
    policy.retryDelays.length > 0
      ? "A rejection counts as a failure and causes the next retry."
      : "A rejection counts as a failure.";
  const hasDeliveryId = Object.values(facts.headers).some((text) => text.includes("{delivery}"));
  const timed = attemptTime(terms);
  const renewed = [...(hasDeliveryId ? ["a new delivery id"] : []), ...(timed ? [`a new ${timed}`] : [])];
  return [
    {
      name: "duplicate",
      title: "The same delivery twice",
      impossible: policy.retryDelays.length === 0 && facts.resend === false && "it sends nothing again",
      why: `A delivery may be repeated unchanged, after a crash on either side. ${sells ? "If you ship twice, you pay twice." : "What you do for an event must happen once."} ${refusing}`,
      fix: ONCE,
      putOff: BUSY,
      watch: "after-first",
      requests: ({ request, fresh }) => [
        request("an event", fresh("duplicate")),
        request("the same delivery again", fresh("duplicate")),
      ],
      judge: mustHandleOnce,
    },
    {
      name: "duplicate-at-once",
      title: "The same delivery twice at the same time",
      impossible: once(terms),
      why: `Two requests for one event may arrive in parallel. Checking before writing is not enough, because both requests check before either writes. ${refusing}`,
      fix: `${ONCE} Let the index decide, not a query, and treat a violation of the index as "already handled".`,
      putOff: BUSY,
      together: [WARM_UP, ...Array<number>(AT_ONCE).fill(2)],
      watch: "pair",
      requests: ({ request, fresh }) => {
        const event = (index: number) => fresh(`duplicate-at-once, ${index + 1}`);
        return [
          ...Array.from({ length: WARM_UP }, (_, index) =>
            request(`one of ${WARM_UP} events at once`, event(index)),
          ),
          ...Array.from({ length: AT_ONCE }, (_, index) => [
            request("an event", event(WARM_UP + index)),
            request("the same delivery at the same time", event(WARM_UP + index)),
          ]).flat(),
        ];
      },
      judge: (outcome) => mustHandleOnce(outcome, AT_ONCE),
    },
    {
      name: "late-retry",
      title: "A retry of an event that you have already handled",
      impossible: once(terms),
      why: `Your response was late or lost, so ${name} sends the event again, with ${listed(["the same body", ...renewed])}. ${refusing}`,
      fix: hasDeliveryId
        ? `${ONCE} The delivery id alone is not enough, because every attempt has a new one.`
        : ONCE,
      putOff: BUSY,
      watch: "after-first",
      requests: ({ request, retried }) => [
        request("the first attempt of an event", retried.first),
        request(`its retry ${formatDuration(policy.retryDelays[0]!)} later`, retried.again),
      ],
      judge: mustHandleOnce,
    },
  ];
}
