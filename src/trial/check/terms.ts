import { PLATFORM_SENDER } from "../../payments/webhooks/platform.ts";
import { formatDuration } from "../../timeline/duration.ts";
import type { FileSender } from "../../webhooks/described.ts";
import type { SenderPolicy } from "../../webhooks/policy.ts";
import type { SenderFacts } from "../../webhooks/sender-file.ts";
import { MINUTE } from "../../world/duration.ts";

export interface Terms {
  /** The sender's name, for use within a sentence and at its start. */
  name: string;
  Name: string;
  facts: SenderFacts;
  isPlatform: boolean;
  policy: Pick<SenderPolicy, "retryDelays" | "timeout" | "succeeds">;
  /** The event types to send. Most hazards use the first. */
  types: readonly string[];
  oldSecret?: string | undefined;
  bodies: readonly string[];
  /** Whether requests are signed by code in the sender file. */
  signsItself: boolean;
  /** The consequence of a failure: `the event is retried …`. */
  outcome: string;
  /** What the sender does with a rejected event, in a sentence. */
  retried: string;
  /**
   * How to verify signatures: an imperative sentence without its first letter, which the caller adds in upper or lower
   * case.
   */
  verify: string;
  /** Where to find an event's id or, if it has none, whatever serves as one. */
  key: string;
  /** Whether the sender's events contain amounts of money. */
  sells: boolean;
  /** The time between an event and its last retry. */
  span: string;
  /** The maximum age of a signature, in milliseconds. */
  tolerance: number;
}

/** The usual tolerance of verifiers, for sender files that do not set one. */
const USUAL_TOLERANCE = 5 * MINUTE;

/** Fields with an amount of money. */
const PRICED = /"\w*(?:amount|currency|price|total)"\s*:/i;

/** Collects a sender's terms. @param types the event types to send; most hazards use the first */
export function termsOf(sender: FileSender, types: readonly string[], oldSecret?: string): Terms {
  const { facts, policy, signsItself } = sender;
  const isPlatform = sender.name === PLATFORM_SENDER;
  const name = isPlatform ? "the platform" : sender.name;
  const { retryDelays, disableAfter } = policy;
  const { consecutive, failingFor } = disableAfter;
  const { algorithm, over, place = "the header" } = facts.signature;
  const { tolerance: written } = facts.signature;
  const tolerance = typeof written === "number" ? written : USUAL_TOLERANCE;
  const span = formatDuration(retryDelays.reduce((sum, delay) => sum + delay, 0));
  const times = retryDelays.length === 1 ? "once, after" : `${retryDelays.length} times in`;
  const ends =
    consecutive !== null
      ? `, and ${consecutive} consecutive failures disable the endpoint`
      : failingFor !== undefined
        ? `, and an endpoint that fails for ${formatDuration(failingFor)} is disabled`
        : "";
  const outcome =
    retryDelays.length === 0
      ? `the event is not retried${ends}`
      : `the event is retried ${times} ${span}${ends}`;
  return {
    ...{ name, facts, isPlatform, policy, types, oldSecret, signsItself, outcome, span, tolerance },
    Name: name.replace(/^the/, "The"),
    bodies: types.map((type) => sender.example(type)),
    retried: `A rejection counts as a failure: ${outcome}.`,
    verify:
      algorithm === "ed25519"
        ? `verify the Ed25519 signature of ${over} with the public key`
        : algorithm === "jwt-es256"
          ? "verify the token's ES256 signature with the sender's public key, and compare the hash in it with that of the raw body"
          : algorithm === "secret"
            ? "compare the header with the secret in constant time"
            : `compute the ${algorithm.toUpperCase()} of ${over === "{body}" || signsItself ? "the raw body" : over} with the secret, compare it with ${place} in constant time`,
    key: isPlatform
      ? "the `event` and `data.id`"
      : facts.id === undefined
        ? "a hash of the raw body"
        : `the event's id (${facts.id})`,
    sells: isPlatform || sender.events.some((type) => PRICED.test(sender.example(type))),
  };
}
