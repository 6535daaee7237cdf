import { failureText } from "../attempt.ts";
import { ENDPOINT_CHANGES } from "../endpoint-state.ts";
import { instant } from "../instant.ts";
import { isOutage, outageText } from "../outage.ts";
import { changeTone } from "../states.ts";
import { isStory, storyText, storyTitle } from "../story.ts";
import { count } from "../text.ts";
import { attempt, type Data, listed, named, reason, text, type Words } from "./words.ts";

/** An attempt's result and its consequence: `status 503, 2 in a row, next at 2026-01-15 09:11:30`. */
function outcome({ error, response_code: code, consecutive_failures: failures, ...data }: Data): string {
  const failed = typeof error === "string";
  return listed(
    failed ? failureText(text(error), code) : text(code),
    failed && typeof failures === "number" ? `${failures} in a row` : "",
    typeof data.next_attempt_at === "string" ? `next at ${instant(text(data.next_attempt_at))}` : "",
    typeof data.response_body === "string" ? `returned "${oneLine(data.response_body)}"` : "",
  );
}

const oneLine = (body: string) => text(body.replace(/\s+/g, " ").trim());

/** Endpoints, attempts, the e-mails about them, and inbox messages. */
export const DELIVERY_WORDS: Words = {
  "delivery.started": (data) => ({ title: `${attempt(data)} begins` }),
  "delivery.succeeded": (data) => ({
    title: `${attempt(data)} delivered`,
    tone: "good",
    detail: outcome(data),
  }),
  "delivery.failed": (data) => ({ title: `${attempt(data)} failed`, tone: "bad", detail: outcome(data) }),
  "delivery.unanswered": (data) => ({
    title: `${text(data.event)}: no response yet`,
    tone: "warning",
    detail: data.times_out_at === undefined ? "" : `times out at ${instant(text(data.times_out_at))}`,
  }),
  "delivery.exhausted": (data) => ({
    title: `${text(data.event)} ran out of attempts`,
    tone: "bad",
    detail: `after ${count(Number(data.attempts ?? 0), "attempt")}`,
  }),
  "delivery.skipped": (data) => ({
    title: `${text(data.event)} not sent`,
    tone: "warning",
    detail: reason(data),
  }),
  "delivery.resumed": named("Attempt sent again after a crash"),
  "delivery.resent": (data) => ({
    title: `${text(data.event)} sent again by hand`,
    detail: `repeats ${text(data.resend_of)}`,
  }),
  "retry.skipped": (data) => ({ title: `${attempt(data)} skipped`, tone: "warning", detail: reason(data) }),
  "retry.cancelled": (data) => ({ title: `${attempt(data)} cancelled`, detail: reason(data) }),
  ...Object.fromEntries(
    ENDPOINT_CHANGES.map((change) => {
      const tone = changeTone(change);
      return [`webhook.${change}`, named(`Endpoint ${change}`, tone === "none" ? "plain" : tone)];
    }),
  ),
  "webhook.disabled": (data) => ({
    title: "Endpoint disabled",
    tone: "bad",
    detail:
      data.reason === "consecutive_failures"
        ? `after ${count(Number(data.consecutive_failures), "failure")} in a row`
        : "by hand",
  }),
  "webhook.outage": (data) => ({
    title: isOutage(data) ? outageText(data) : "An outage was played",
    tone: isOutage(data) && data.missing.length > 0 ? "bad" : "plain",
  }),
  "webhook.story": (data) => ({
    title: isStory(data) ? `${storyTitle(data)} played: ${storyText(data)}` : "A story was played",
  }),
  "mail.taken": (data) => ({
    title: "E-mail from your program intercepted",
    detail: `to ${text(data.to)}: ${text(data.subject)}`,
  }),
  "mail.sent": (data) => ({ title: "E-mail sent", detail: `to ${text(data.to)}: ${text(data.subject)}` }),
  "inbox.received": (data) => ({
    title: `Inbox ${text(data.inbox)} received ${text(data.event) || "a message"}`,
    detail: `responded ${text(data.answered)}`,
  }),
  "inbox.behaviour": (data) => ({
    title: `Inbox ${text(data.inbox)} now responds differently`,
    detail: text(data.behaviour),
  }),
};
