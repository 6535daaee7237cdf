import { clip } from "../../../timeline/text.ts";
import type { StatementPoint } from "../../statements/point.ts";
import type { Story } from "../../stories/stories.ts";
import type { Attempt, SentenceParts } from "./deviation.ts";

/**
 * The numbers of the attempts that the platform sends at the same time as the given one, including it: first attempts of
 * events, or their retries.
 */
export function instantOf(attempts: readonly Attempt[], at: number): number[] {
  const { at: instant, pause } = attempts[at]!;
  return attempts.flatMap((one, index) =>
    one.at === instant && one.pause === pause && one.trigger !== "test" && !one.background ? index : [],
  );
}

/** Describes the attempt that coincides with another. */
export const metWords = ({ run: { attempts }, sent, speech }: SentenceParts): string =>
  speech.nameOf(attempts[sent.beside!]!);

/** Whether events at the same instant may arrive in any order. Some senders make newer ones wait. */
export const isUnordered = ({ by }: Pick<Story, "by">): boolean => !by || by.sender.facts.order === "none";

export const canBeResent = ({ by }: Pick<Story, "by">): boolean => by?.sender.facts.resend ?? true;

/** Whether a sender repeats requests whose responses it does not know, for example after a restart. */
export const canRepeat = ({ by }: Pick<Story, "by">): boolean =>
  !by || by.sender.policy.retryDelays.length > 0;

/** Describes the request that arrives while a slow one is in progress. */
export function nextWords({ run: { attempts }, sent, speech: { nameOf } }: SentenceParts): string {
  const other = attempts[sent.overlaps[0] ?? -1];
  return !other ? "the next request" : other.eventId === sent.eventId ? "its retry" : nameOf(other);
}

/** The sender file fields that make the sender retry an event. */
export const RETRIES = ["retries.delays", "retries.every", "retries.jitter"];

export const ONE_TRANSACTION =
  "Record an event as processed in the same transaction as its effect, so a failure leaves neither behind.";

export const statementWords = (
  { text, number, atCommit }: Omit<StatementPoint, "occurrence">,
  what = "statement",
): string => `${atCommit ? "the commit of " : ""}${what} ${number} (\`${clip(text, 60)}\`)`;

/** Says who retries an event after a deviation, as the end of a sentence; empty if neither side retries it. */
export function againWords({
  run: { attempts },
  sent: { eventId, second },
  at,
  speech,
}: SentenceParts): string {
  const next = attempts.slice(at + 1).find((one) => one.eventId === eventId && one.second === second);
  if (!next) return "";
  return `, so ${next.trigger === "automatic" ? speech.sender : "a person"} sends it again`;
}
