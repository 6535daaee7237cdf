import { clip } from "../../../timeline/text.ts";
import type { StatementPoint } from "../../statements/point.ts";
import type { Story } from "../../stories/stories.ts";
import type { Attempt, SentenceParts } from "./deviation.ts";

/**
 * The numbers of the attempts that the platform sends at the same time as one, with that one: first attempts of events, or their
 * retries.
 */
export function instantOf(attempts: readonly Attempt[], at: number): number[] {
  const { at: instant, pause } = attempts[at]!;
  return attempts.flatMap((one, index) =>
    one.at === instant && one.pause === pause && one.trigger !== "test" && !one.background ? index : [],
  );
}

/** Names the attempt that another one meets. */
export const metWords = ({ run: { attempts }, sent, speech }: SentenceParts): string =>
  speech.nameOf(attempts[sent.beside!]!);

/** Whether events of one instant may arrive in any order: some senders let newer ones wait. */
export const isUnordered = ({ by }: Pick<Story, "by">): boolean => !by || by.sender.facts.order === "none";

export const canBeResent = ({ by }: Pick<Story, "by">): boolean => by?.sender.facts.resend ?? true;

/** Whether a sender repeats requests without a known answer, for example after a restart. */
export const canRepeat = ({ by }: Pick<Story, "by">): boolean =>
  !by || by.sender.policy.retryDelays.length > 0;

/** Names the request that arrives while a slow one is in progress. */
export function nextWords({ run: { attempts }, sent, speech: { nameOf } }: SentenceParts): string {
  const other = attempts[sent.overlaps[0] ?? -1];
  return !other ? "the next request" : other.eventId === sent.eventId ? "its retry" : nameOf(other);
}

/** The fields of a sender's file that make the sender repeat an event. */
export const RETRIES = ["retries.delays", "retries.every", "retries.jitter"];

export const ONE_TRANSACTION =
  "Record an event as processed in the transaction of its effect, so that a failure leaves neither.";

export const statementWords = (
  { text, number, atCommit }: Omit<StatementPoint, "occurrence">,
  what = "statement",
): string => `${atCommit ? "the commit of " : ""}${what} ${number} (\`${clip(text, 60)}\`)`;

/** Says who repeats an event after a deviation, as the end of a sentence; empty if it is not repeated. */
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
