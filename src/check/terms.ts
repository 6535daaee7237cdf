import { formatDuration } from "../story/duration.ts";
import type { FileSender } from "../webhooks/described.ts";
import { isSuccess } from "../webhooks/failures.ts";
import { DEFAULT_POLICY, type SenderPolicy } from "../webhooks/policy.ts";
import type { SenderFacts } from "../webhooks/sender-file.ts";
import { MINUTE } from "../world/duration.ts";

/** What hazards say of whoever sends, and decide by. */
export interface Terms {
  /** Within a sentence, and at its beginning. */
  name: string;
  Name: string;
  /** Null for the platform. */
  facts: SenderFacts | null;
  policy: Pick<SenderPolicy, "retryDelays" | "timeout" | "succeeds">;
  /** The types of events that are sent, the first one for most hazards. */
  types: readonly string[];
  /** A secret that was replaced, as both sides had it. */
  oldSecret?: string | undefined;
  /** Whether code of its file signs. */
  signsItself: boolean;
  /** What a failure leads to: `it is retried …`. */
  outcome: string;
  /** How a refused event goes on, in a sentence. */
  retried: string;
  /** How to verify, as an order without its first letter. */
  verify: string;
  /** Where the id of an event is. */
  key: string;
  /** From an event to its last retry. */
  span: string;
  /** How old a signature may be, milliseconds. */
  tolerance: number;
}

const HMAC =
  "compute the HMAC-SHA256 of the raw body with the secret, compare it with the header in constant time";

/** The platform of the contract. */
export const PLATFORM_TERMS: Terms = {
  name: "the platform",
  Name: "The platform",
  facts: null,
  policy: { ...DEFAULT_POLICY, succeeds: isSuccess },
  types: [],
  signsItself: false,
  outcome: "it is retried three times, and ten consecutive failures disable the endpoint",
  retried:
    "A refusal counts as a failure: the event is retried for an hour, and the endpoint may be disabled.",
  verify: HMAC,
  key: "event and data.id",
  span: "71 minutes",
  tolerance: 0,
};

/** A tolerance that most verifiers have, for a file that names none. */
const USUAL_TOLERANCE = 5 * MINUTE;

/** A sender of a file. @param types that are sent, the first one for most hazards */
export function senderTerms(
  { name, facts, policy, signsItself }: FileSender,
  types: readonly string[],
  oldSecret?: string,
): Terms {
  const { retryDelays, disableAfter } = policy;
  const { consecutive, failingFor } = disableAfter;
  const { algorithm, over, tolerance = USUAL_TOLERANCE } = facts.signature;
  const span = formatDuration(retryDelays.reduce((sum, delay) => sum + delay, 0));
  const times = retryDelays.length === 1 ? "once, after" : `${retryDelays.length} times in`;
  const ends =
    consecutive !== null
      ? `, and ${consecutive} consecutive failures disable the endpoint`
      : failingFor !== undefined
        ? `, and an endpoint that fails for ${formatDuration(failingFor)} is disabled`
        : "";
  const outcome =
    retryDelays.length === 0 ? `it is not retried${ends}` : `it is retried ${times} ${span}${ends}`;
  return {
    ...{ name, Name: name, facts, policy, types, oldSecret, signsItself, outcome, span, tolerance },
    retried: `A refusal counts as a failure: ${outcome}.`,
    verify:
      signsItself || (over === "{body}" && algorithm === "hmac-sha256")
        ? HMAC
        : algorithm === "ed25519"
          ? `verify the Ed25519 signature of ${over} with the public key`
          : `compute the ${algorithm.toUpperCase()} of ${over} with the secret, compare it with the header in constant time`,
    key: facts.id === undefined ? "the event" : `the event's id (${facts.id})`,
  };
}
