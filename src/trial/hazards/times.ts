import { formatDuration } from "../../timeline/duration.ts";
import { DAY, SECOND } from "../../world/duration.ts";
import { answerWords, mustAccept, mustRefuse, took } from "../check/judge.ts";
import type { Terms } from "../check/terms.ts";
import type { Draft } from "./hazard.ts";
import { untimed } from "./impossible.ts";

/** How much two correctly set clocks may differ. */
const SKEW_MS = 2 * SECOND;

export function timeHazards(terms: Terms): Draft[] {
  const { tolerance, facts } = terms;
  const impossible = untimed(terms);
  const far = tolerance + DAY;
  const isFarAccepted = facts.signature.ahead === "accepted";
  const allowed = formatDuration(tolerance);
  return [
    {
      name: "stale-timestamp",
      title: "A signature from yesterday",
      impossible,
      restsOn: ["signature.tolerance"],
      why: "Anyone who has recorded a request can replay it forever, unless you reject old signatures.",
      fix: `Compare the time in the signature with your clock, and respond with 401 if the signature is more than ${allowed} old. A retry has a new signature, so no event is lost.`,
      requests: ({ request, fresh }) => [
        request("an event, signed a day ago", fresh("stale-timestamp"), { signedAgo: far }),
      ],
    },
    {
      name: "future-timestamp",
      title: "A signature from a clock that is ahead",
      impossible,
      restsOn: ["signature.tolerance", "signature.ahead"],
      why: "Clocks differ by a few seconds, so a signature may be slightly ahead of your clock. But a signature from tomorrow could be replayed until tomorrow.",
      fix: `Accept a signature only if its time differs from your clock by at most ${allowed}, in either direction.`,
      requests: ({ request, fresh }) => [
        request("an event, signed by a clock that is 2 s ahead", fresh("future-timestamp"), {
          signedAgo: -SKEW_MS,
        }),
        request("an event, signed by a clock that is a day ahead", fresh("future-timestamp, far"), {
          signedAgo: -far,
        }),
      ],
      watch: undefined,
      judge(outcome) {
        const [near, ...rest] = outcome.answers;
        const accepted = mustAccept({ ...outcome, answers: [near!] });
        if (accepted.verdict !== "pass") return accepted;
        const summary = `returned ${answerWords(outcome.answers)}`;
        if (isFarAccepted && rest.every(took))
          return { verdict: "pass", summary: `${summary}; the sender's own verifier accepts both, too` };
        const refused = mustRefuse({ ...outcome, answers: rest });
        return refused.verdict === "pass" ? { ...refused, summary } : refused;
      },
    },
  ];
}
