import { isOk } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";

/** A secret can be replaced at any time. Sandglass's own platform always signs with one secret. */
export const secretRotated: Deviation = {
  name: "secret-rotated",
  scope: "from-then-on",
  canHappenIn: ({ by }) => by?.sender.facts.signature.also !== undefined,
  restsOn: [],
  newSecretOf: ({ by }) => by!.newSecret,
  sentence: ({ sent, speech: { nameOf } }) =>
    `The secret is being replaced from ${nameOf(sent)} on, so the header has two signatures: first the new secret's, then yours.`,
  explains: ({ attempts }) =>
    attempts.some(({ twiceSigned, status }) => twiceSigned && !isOk(status))
      ? "Read every signature in the header, and accept the request if one of them is correct: until both sides have the new secret, only one is."
      : undefined,
};
