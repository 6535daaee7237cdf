import { withOtherAmount } from "../check/craft.ts";
import { mustRefuse, took } from "../check/judge.ts";
import type { Terms } from "../check/terms.ts";
import type { Draft } from "./hazard.ts";
import { otherSecret, unsigned } from "./impossible.ts";

/** A string that is not a signature in hex or base64. */
const NO_DIGITS = "signature-";
const filling = (text: string, length: number): string => text.repeat(length).slice(0, length);

export const forgeryHazards = (terms: Terms): Draft[] => {
  const { name, verify, facts, signsItself } = terms;
  const { over, algorithm } = facts.signature;
  const isToken = algorithm === "secret";
  const isCovered = signsItself || (!isToken && /\{(?:body|parameters|sha256)\}/.test(over));
  const VERIFY = `Before anything else, ${verify}, and respond with 401 if they differ.`;
  const FORGED = `Anyone can send requests to a public address. Only the signature proves that a request is from ${name}.`;
  const digits = isToken
    ? "characters"
    : facts.signature.encoding === "base64"
      ? "base64 digits"
      : "hex digits";
  return [
    {
      name: "wrong-signature",
      title: "A signature created with another secret",
      impossible: otherSecret(terms),
      why: FORGED,
      fix: VERIFY,
      requests: ({ request, fresh, otherSecret }) => [
        request("an event, signed with another secret", fresh("wrong-signature"), {
          secret: otherSecret,
        }),
      ],
    },
    {
      name: "missing-signature",
      title: "No signature",
      impossible: unsigned(terms),
      why: FORGED,
      fix: "Treat a missing header like a wrong signature: respond with 401.",
      requests: ({ request, fresh }) => {
        const event = fresh("missing-signature");
        const signature = () => null;
        return [
          request("an event without the signature header", event, { signature }),
          request("an empty body without the signature header", event, { signature, body: "" }),
        ];
      },
      judge(outcome) {
        // An accepted empty request is fine: some senders validate URLs with one, and so do health checks.
        const [event, empty] = outcome.answers;
        if (!empty || !took(empty) || outcome.state === "changed") return mustRefuse(outcome);
        const judged = mustRefuse({ ...outcome, answers: [event!] });
        if (judged.verdict !== "pass") return judged;
        return {
          ...judged,
          summary: `${judged.summary}, and ${empty.status} to an empty request, which is not an event`,
        };
      },
    },
    {
      name: "truncated-signature",
      title: "Part of the correct signature",
      impossible: unsigned(terms),
      why: "If you compare only the beginning, an attacker can guess a signature digit by digit, and an empty one passes. If you expect equal lengths, the handler may crash.",
      fix: "Compare lengths first, then all bytes in constant time. Comparing buffers of different lengths throws an exception.",
      requests: ({ request, fresh, signatureOf }) => {
        const event = fresh("truncated-signature");
        const { length } = signatureOf(event);
        const half = Math.floor(length / 2);
        const cut = (end: number) => ({ signature: (right: string) => right.slice(0, end) });
        return [
          request(`the first ${half} of its ${length} digits`, event, cut(half)),
          request("its first digit", event, cut(1)),
          request("an empty signature", event, cut(0)),
        ];
      },
    },
    {
      name: "malformed-signature",
      title: "A header that is not a signature",
      impossible: otherSecret(terms),
      why: "Garbage in the header must be rejected like a wrong signature. If it crashes the handler, anyone can flood your logs and alerts.",
      fix: isToken
        ? "Reject anything but the secret, and compare bytes, not text: some comparisons throw on text that is not ASCII."
        : `Reject anything but ${digits} of the right length, and compare bytes, not text: some comparisons throw on text that is not ASCII or not ${digits === "hex digits" ? "hex" : digits}.`,
      requests: ({ request, fresh, otherSecret, signatureOf }) => {
        const event = fresh("malformed-signature");
        const { length } = signatureOf(event);
        const spoilt = (text: string) => ({ signature: () => filling(text, length) });
        return [
          request(`${length} characters that are not ${digits}`, event, spoilt(NO_DIGITS)),
          request(`${length} non-ASCII characters`, event, spoilt("é")),
          request(`${2 * length} ${digits}`, event, {
            secret: otherSecret,
            signature: (wrong) => wrong + wrong,
          }),
        ];
      },
    },
    {
      name: "changed-body",
      title: "A body that was changed after it was signed",
      impossible: unsigned(terms) || (!isCovered && "its signature does not cover the body"),
      why: "Only the signature makes the amount trustworthy. It covers the exact bytes, so even an added space invalidates it.",
      fix: "Compute the HMAC of the raw bytes, not of parsed and re-serialized JSON.",
      requests: ({ request, fresh }) => {
        const event = fresh("changed-body");
        const changed = (body: string) => ({ body, signedBody: event.body });
        return [
          request(
            "a different amount, with the signature of the original",
            event,
            changed(withOtherAmount(event.body)),
          ),
          request("one more space at the end", event, changed(`${event.body} `)),
        ];
      },
    },
  ];
};
