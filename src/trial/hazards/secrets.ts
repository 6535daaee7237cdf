import { mustHandle, mustRefuse } from "../check/judge.ts";
import type { Terms } from "../check/terms.ts";
import type { Hazard } from "./hazard.ts";
import { otherSecret, unsigned } from "./impossible.ts";

/** Hazards of a secret that is replaced. */
export function secretHazards(terms: Terms): Hazard[] {
  const { facts } = terms;
  const isAlone = facts?.signature.also === undefined;
  return [
    {
      name: "two-signatures",
      title: "Two signatures, while a secret is replaced",
      impossible: otherSecret(terms) || (isAlone && "its header has one signature at any time"),
      restsOn: ["signature.also"],
      why: "While a secret is replaced, a header has a signature of the old secret and one of the new, in any order. If you read only one, events fail until both sides have the new secret.",
      fix: "Read every signature in the header, and accept the request if one of them is right.",
      mustAccept: true,
      requests: ({ request, fresh, oldSecret, otherSecret, secret }) => {
        const other = oldSecret ?? otherSecret;
        return [
          request("an event, signed with your secret and then the other", fresh("two-signatures"), {
            also: [other],
          }),
          request(
            "an event, signed with the other secret and then yours",
            fresh("two-signatures, reversed"),
            { secret: other, also: [secret] },
          ),
        ];
      },
      watch: "effect",
      judge: mustHandle,
    },
    {
      name: "old-secret",
      title: "A secret that was replaced",
      takesOwn: true,
      impossible:
        unsigned(terms) ||
        (terms.oldSecret === undefined &&
          (otherSecret(terms) ||
            (isAlone &&
              "its header has one signature at any time, and --old-secret names no secret that was replaced"))),
      restsOn: ["signature.also"],
      why: "A secret is replaced because it may have leaked. From then on, anyone who has the old one can sign.",
      fix: "Forget the old secret once it is replaced, and accept several signatures only if one of them is right.",
      watch: "all",
      requests: ({ request, fresh, oldSecret, otherSecret }) => {
        const event = fresh("old-secret");
        return [
          ...(facts?.signature.also === undefined
            ? []
            : [
                request("an event with two signatures, neither made with your secret", event, {
                  secret: oldSecret ?? otherSecret,
                  also: [otherSecret],
                }),
              ]),
          ...(oldSecret === undefined
            ? []
            : [
                request("an event, signed with the secret of --old-secret", event, {
                  secret: oldSecret,
                }),
              ]),
        ];
      },
      judge: mustRefuse,
    },
  ];
}
