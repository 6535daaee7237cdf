import { clip } from "../../timeline/text.ts";
import { printedWords } from "../subject/output.ts";
import { isOwnName } from "../subject/own-names.ts";
import type { Json } from "../subject/state.ts";
import { isOk, type SentAttempt } from "./attempt.ts";
import { deviationIn } from "./deviations/index.ts";

/** Describes the deviation of the attempt with this number, phrased to follow `attempt 2`. */
export const attemptWords = (sent: SentAttempt, at: number): string =>
  resultWords(sent, at) +
  (isOk(sent.status) ? "" : printedWords(sent.printed)) +
  (sent.twiceSigned ? ", signed with two secrets" : "") +
  (sent.second ? ", by the second endpoint" : "");

function resultWords(sent: SentAttempt, at: number): string {
  const { deviation, status, failed, trigger, overlaps } = sent;
  const answered = status === null ? "no response" : String(status);
  const together =
    overlaps.length === 0 ? "" : ` at the same time as ${overlaps.map((one) => one + 1).join(" and ")}`;
  const line = deviationIn(sent)?.line?.({ sent, at, answered, together });
  if (line !== undefined) return line;
  if (together !== "") return answered + together;
  if (trigger === "resend" && deviation === null) return `${answered}, sent again by hand`;
  if (trigger === "manual") return `${answered}, retried by hand`;
  if (trigger === "test") return `${answered}, a test delivery`;
  return failed && status === null ? "no response" : answered;
}

/** Formats a value for reports. */
export function shown(value: Json, most = 60): string {
  if (isOwnName(value)) return value;
  return value === undefined ? "nothing" : clip(JSON.stringify(value), most);
}

export const pathWords = (path: string): string => (path === "" ? "the whole state" : path);
