import { count } from "../format.ts";
import { href } from "../router.ts";
import { attempt, type Data, text, type Words, webhook } from "./words.ts";

const delivery = (data: Data) => href(["webhooks", text(data.webhook_id), text(data.id)]);
const answered = (data: Data) => text(data.response_code ?? data.error);

const SKIPPED: Record<string, string> = {
  endpoint_disabled: "the endpoint is disabled",
  endpoint_deleted: "the endpoint was deleted",
  delivered: "the event was delivered meanwhile",
};
const because = (data: Data) => SKIPPED[text(data.reason)] ?? text(data.reason);

/** Endpoints, attempts, the e-mails about them, and the inboxes that get them. */
export const DELIVERY_WORDS: Words = {
  "delivery.started": (data) => ({ title: `${attempt(data)} begins`, href: delivery(data) }),
  "delivery.succeeded": (data) => ({
    title: `${attempt(data)} delivered`,
    tone: "good",
    detail: answered(data),
    href: delivery(data),
  }),
  "delivery.failed": (data) => ({
    title: `${attempt(data)} failed`,
    tone: "bad",
    detail: answered(data),
    href: delivery(data),
  }),
  "delivery.unanswered": (data) => ({ title: `${text(data.event)}: no answer yet`, href: delivery(data) }),
  "delivery.exhausted": (data) => ({
    title: `${text(data.event)} given up`,
    tone: "bad",
    detail: `after ${count(Number(data.attempts), "attempt")}`,
    href: webhook(data.webhook_id),
  }),
  "delivery.skipped": (data) => ({
    title: `${text(data.event)} not sent`,
    detail: because(data),
    href: webhook(data.webhook_id),
  }),
  "delivery.resumed": (data) => ({ title: "Attempt sent again after a crash", href: delivery(data) }),
  "retry.skipped": (data) => ({
    title: `${attempt(data)} will not be made`,
    detail: because(data),
    href: webhook(data.webhook_id),
  }),
  "retry.cancelled": (data) => ({
    title: `${attempt(data)} is not needed`,
    detail: because(data),
    href: webhook(data.webhook_id),
  }),
  "webhook.disabled": (data) => ({
    title: "Endpoint disabled",
    tone: "bad",
    detail:
      data.reason === "consecutive_failures"
        ? `after ${count(Number(data.consecutive_failures), "failure")} in a row`
        : "by hand",
    href: webhook(data.id),
  }),
  "webhook.enabled": (data) => ({ title: "Endpoint enabled", tone: "good", href: webhook(data.id) }),
  "webhook.created": (data) => ({ title: "Endpoint created", href: webhook(data.id) }),
  "webhook.deleted": (data) => ({ title: "Endpoint deleted", detail: text(data.id), href: href(["audit"]) }),
  "webhook.updated": (data) => ({ title: "Endpoint updated", href: webhook(data.id) }),
  "mail.sent": (data) => ({
    title: "E-mail sent",
    detail: text(data.subject),
    href: href(["mail", text(data.id)]),
  }),
  "inbox.received": (data) => ({
    title: `Inbox ${text(data.inbox)} got ${text(data.event) || "a message"}`,
    detail: `answered ${text(data.answered)}`,
    href: href(["inboxes", text(data.inbox)]),
  }),
  "inbox.behaviour": (data) => ({
    title: `Inbox ${text(data.inbox)} answers differently`,
    href: href(["inboxes", text(data.inbox)]),
  }),
};
