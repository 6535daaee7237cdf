import { formatDuration } from "../../timeline/duration.ts";
import { DAY, SECOND } from "../../world/duration.ts";
import { answerWords, mustAccept, mustHandle, mustRefuse, took } from "../check/judge.ts";
import type { Terms } from "../check/terms.ts";
import type { Hazard } from "./hazard.ts";

/** How far two clocks that are set right may be apart. */
const SKEW_MS = 2 * SECOND;

/** A signature with a time, and a secret that is replaced. */
export function secretHazards({ tolerance, facts }: Terms): Hazard[] {
  const far = tolerance + DAY;
  const isFarAccepted = facts?.signature.ahead === "accepted";
  const allowed = formatDuration(tolerance);
  return [
    {
      name: "stale-timestamp",
      title: "A signature of yesterday",
      why: "Anyone who recorded a request can send it again for ever, unless you refuse old signatures.",
      fix: `Compare the time in the signature with your clock, and answer 401 to one that is more than ${allowed} old. A retry has a new signature, so no event is lost.`,
      watch: "all",
      requests: ({ material, craft }) => [
        craft.request("an event, signed a day ago", material.fresh("stale-timestamp"), { signedAgo: far }),
      ],
      judge: mustRefuse,
    },
    {
      name: "future-timestamp",
      title: "A signature of a clock that is ahead",
      why: "Clocks differ by seconds, so a signature may come from your future. One from tomorrow could be replayed until then.",
      fix: `Compare the distance between the time in the signature and your clock: accept up to ${allowed} in both directions.`,
      requests: ({ material, craft }) => [
        craft.request("an event, signed by a clock that is 2 s ahead", material.fresh("future-timestamp"), {
          signedAgo: -SKEW_MS,
        }),
        craft.request(
          "an event, signed by a clock that is a day ahead",
          material.fresh("future-timestamp, far"),
          {
            signedAgo: -far,
          },
        ),
      ],
      judge(outcome) {
        const [near, ...rest] = outcome.answers;
        const accepted = mustAccept({ ...outcome, answers: [near!] });
        if (accepted.verdict !== "pass") return accepted;
        const summary = `answered ${answerWords(outcome.answers)}`;
        if (isFarAccepted && rest.every(took))
          return { verdict: "pass", summary: `${summary}; the sender's own verifier accepts both, too` };
        const refused = mustRefuse({ ...outcome, answers: rest });
        return refused.verdict === "pass" ? { ...refused, summary } : refused;
      },
    },
    {
      name: "two-signatures",
      title: "Two signatures, while a secret is replaced",
      why: "While a secret is replaced, a header has a signature of the old secret and one of the new, in any order. If you read only one, events fail until both sides have the new secret.",
      fix: "Read every signature in the header, and accept the request if one of them is right.",
      mustAccept: true,
      requests: ({ material, craft }) => {
        const other = craft.oldSecret ?? craft.otherSecret;
        return [
          craft.request(
            "an event, signed with your secret and then the other",
            material.fresh("two-signatures"),
            {
              also: [other],
            },
          ),
          craft.request(
            "an event, signed with the other secret and then yours",
            material.fresh("two-signatures, reversed"),
            { secret: other, also: [craft.secret] },
          ),
        ];
      },
      watch: "effect",
      judge: mustHandle,
    },
    {
      name: "old-secret",
      title: "A secret that was replaced",
      why: "A secret is replaced because it may have leaked. From then on, anyone who has the old one can sign.",
      fix: "Forget the old secret once it is replaced, and accept several signatures only if one of them is right.",
      watch: "all",
      requests: ({ material, craft }) => {
        const event = material.fresh("old-secret");
        const { otherSecret, oldSecret } = craft;
        return [
          ...(facts?.signature.also === undefined
            ? []
            : [
                craft.request("an event with two signatures, neither made with your secret", event, {
                  secret: oldSecret ?? otherSecret,
                  also: [otherSecret],
                }),
              ]),
          ...(oldSecret === undefined
            ? []
            : [
                craft.request("an event, signed with the secret of --old-secret", event, {
                  secret: oldSecret,
                }),
              ]),
        ];
      },
      judge: mustRefuse,
    },
  ];
}
