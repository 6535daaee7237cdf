import type { SentAttempt } from "./attempt.ts";
import { HEAD_STARTS } from "./schedule.ts";

/** What happened to an attempt, as what follows `attempt 2`. */
export const attemptWords = (sent: SentAttempt): string =>
  resultWords(sent) +
  (sent.twiceSigned ? ", signed with two secrets" : "") +
  (sent.second ? ", by the second endpoint" : "");

function resultWords({ deviation, status, failed, trigger, arrivals, overlaps }: SentAttempt): string {
  const answered = status === null ? "no answer" : String(status);
  const together =
    overlaps.length === 0 ? "" : ` at the same time as ${overlaps.map((one) => one + 1).join(" and ")}`;
  if (deviation === "lost") return "lost: the request never arrives";
  if (deviation === "timeout") return "lost: the request never arrives, and times out";
  if (deviation === "swap") return `${answered}, after the next one`;
  if (deviation === "outage") return "lost: the subscriber is down";
  if (deviation === "answer-lost") return `${answered}, but the answer is lost`;
  if (deviation === "slow") return `time-out, still in progress`;
  if (deviation === "crash") return "the server is killed while it handles the request";
  if (deviation === "restart") return `${answered}, then the server is restarted`;
  if (deviation === "api-429" || deviation === "api-500")
    return `${answered}, and the API answered its call with ${deviation.slice(4)}`;
  if (deviation === "api-slow") return "time-out, as the API has not answered its call yet";
  if (deviation === "resend" && arrivals > 1) return `${answered}, sent twice under one delivery id`;
  const headStart = HEAD_STARTS[deviation ?? "lost"];
  if (together !== "") return answered + together + (headStart ? `, ${headStart} ms earlier` : "");
  if (trigger === "resend" && deviation === null) return `${answered}, sent again by hand`;
  if (trigger === "manual") return `${answered}, retried by hand`;
  if (trigger === "test") return `${answered}, a test delivery`;
  return failed && status === null ? "no answer" : answered;
}

export const pathWords = (path: string): string => (path === "" ? "the whole state" : path);
