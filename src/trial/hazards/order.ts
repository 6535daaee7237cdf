import { formatDuration } from "../../timeline/duration.ts";
import { mustAccept, mustBeQuick, unseen } from "../check/judge.ts";
import type { Terms } from "../check/terms.ts";
import type { Answer, Draft } from "./hazard.ts";
import { once, unsaid } from "./impossible.ts";
import { attemptTime } from "./repeats.ts";

/** Acceptable statuses for an event that arrives before the event it depends on. */
const NOT_YET = [409, 425, 503];

/** Hazards with late or reordered events, and with slow responses. */
export function orderHazards(terms: Terms): Draft[] {
  const { name, facts, isPlatform, policy, span } = terms;
  const isRetried = policy.retryDelays.length > 0;
  const timed = attemptTime(terms);
  return [
    {
      name: "old-event",
      title: `An event that is ${span} old`,
      impossible:
        once(terms) ||
        unsaid(terms, "time", "where a body contains its time") ||
        (facts.assumed.includes("time") === true &&
          "it does not publish whether the time in its body stays the same across retries"),
      restsOn: ["retries.delays", "retries.every"],
      why: `The last retry arrives ${span} after the event. Its body contains the time of the event${timed ? `, and its ${isPlatform ? "timestamp header" : "signature"} contains the time of the attempt` : ""}. If you reject old bodies, you never get events whose first attempt failed.`,
      fix: `Don't reject an event because it is old. ${isPlatform ? "To make replays harmless, store what you handled: the timestamp header is not signed." : "To detect replays, use the time in the signature, if it has one."}`,
      requests: ({ request, old }) => [request("the last attempt of an event", old)],
    },
    {
      name: "reordered-events",
      title: "Events out of order",
      impossible: facts.order === "endpoint" && "it sends events in order",
      why: `Deliveries are sent in parallel${isRetried ? ", and a retry arrives after newer events" : ""}. So an older event may arrive after a newer one.`,
      fix: "Respond with 2xx in any order, or with 503 until the events that it builds on have arrived. Do not let an older event undo what a newer one did: compare the timestamps in the bodies, or ask the API for the current state.",
      putOff: NOT_YET,
      watch: "last",
      standsAlone: 2,
      requests: ({ request, story }) => [...story].reverse().map((event) => request(event.type, event)),
      judge: (outcome) => {
        const isRefusedAnyway = ({ request: { what } }: Answer) =>
          outcome.accepted.some(({ request, error }) => request.what === what && error !== null);
        const judged = mustAccept({
          ...outcome,
          answers: outcome.answers.filter((answer) => !isRefusedAnyway(answer)),
        });
        if (judged.verdict !== "pass") return judged;
        if (outcome.state === "once")
          return {
            ...judged,
            summary: `${judged.summary}; its state shows that the last one changed nothing`,
          };
        return unseen(
          judged,
          outcome.state === null
            ? "Only the responses are visible. Check in your own data whether the result is as if they had arrived in order, or pass a state URL."
            : `The late ${outcome.answers.at(-1)!.request.what} changed the state. To find out whether that differs from the right order, run explore: it compares the states.`,
        );
      },
    },
    {
      name: "slow-answer",
      title: "Slow responses",
      restsOn: ["timeout"],
      why: `After ${formatDuration(policy.timeout)} the attempt times out and ${isRetried ? `${name} sends the event again` : "counts as failed"}, while your first handler may still be running.`,
      fix: "Respond as soon as the event is verified and stored, and do the work afterwards, in a queue.",
      mustAccept: false,
      watch: undefined,
      requests: () => [],
      judge: (outcome) => mustBeQuick(outcome, policy.timeout / 6),
    },
  ];
}
