import type { Terms } from "../check/terms.ts";
import type { Draft } from "./hazard.ts";
import { otherSecret, unsigned } from "./impossible.ts";

const ALONE = "its header never has more than one signature";
const isAlone = ({ facts }: Terms): boolean => facts.signature.also === undefined;

/** A request with both signatures, during a secret rotation. */
export const twoSignatures = (terms: Terms): Draft => ({
  name: "two-signatures",
  title: "Two signatures while a secret is being replaced",
  impossible: otherSecret(terms) || (isAlone(terms) && ALONE),
  restsOn: ["signature.also"],
  why: "While a secret is being replaced, a header contains one signature made with the old secret and one made with the new secret, in either order. If you read only one, events fail until both sides have the new secret.",
  fix: "Read every signature in the header, and accept the request if one of them is correct.",
  requests({ request, fresh, oldSecret, otherSecret, secret }) {
    const other = oldSecret ?? otherSecret;
    return [
      request("an event, signed with your secret and then the other", fresh("two-signatures"), {
        also: [other],
      }),
      request("an event, signed with the other secret and then yours", fresh("two-signatures, reversed"), {
        ...{ secret: other, also: [secret] },
      }),
    ];
  },
});

/** A request signed with a secret that was replaced. */
export const replacedSecret = (terms: Terms): Draft => ({
  name: "old-secret",
  title: "A secret that was replaced",
  impossible:
    unsigned(terms) ||
    (terms.oldSecret === undefined &&
      (otherSecret(terms) ||
        (isAlone(terms) && `${ALONE}, and --old-secret does not specify a replaced secret`))),
  restsOn: ["signature.also"],
  why: "Secrets are often replaced because they may have leaked. As long as you accept the old secret, anyone who has it can sign events.",
  fix: "Remove the old secret once it has been replaced. If there are several signatures, accept the request only if one of them is correct.",
  requests({ request, fresh, oldSecret: secret, otherSecret }) {
    const event = fresh("old-secret");
    const two = "an event with two signatures, neither made with your secret";
    const old = "an event, signed with the secret from --old-secret";
    return [
      ...(isAlone(terms)
        ? []
        : [request(two, event, { secret: secret ?? otherSecret, also: [otherSecret] })]),
      ...(secret === undefined ? [] : [request(old, event, { secret })]),
    ];
  },
});
