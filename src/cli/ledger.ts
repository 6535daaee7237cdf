import type { WebhookWithSecret } from "../client/http.ts";
import type { JournalEntry } from "../world/journal.ts";
import { failure } from "./deliveries.ts";
import { type Cell, paint, time, until } from "./output.ts";

/** What every attempt ends with follows its start, and the inbox's own view of it adds nothing to read. */
const UNSHOWN = new Set(["delivery.started", "inbox.received"]);

type Color = (text: string) => string;
const COLORS: Record<string, Color> = {
  "delivery.succeeded": paint.green,
  "payment.completed": paint.green,
  "checkout.completed": paint.green,
  "webhook.enabled": paint.green,
  "delivery.failed": paint.red,
  "delivery.exhausted": paint.red,
  "payment.failed": paint.red,
  "webhook.disabled": paint.red,
  "delivery.unanswered": paint.yellow,
  "delivery.skipped": paint.yellow,
  "retry.skipped": paint.yellow,
};

/** Whether a person wants to see an entry. */
export function worthShowing({ type }: JournalEntry): boolean {
  return !UNSHOWN.has(type);
}

/** What one entry says, in cells: virtual time, what, about what, error, what comes next. */
export function entryCells({
  type,
  at,
  data,
}: JournalEntry): Record<"time" | "what" | "about" | "error" | "next", Cell> {
  return {
    time: { text: time(at), color: paint.dim },
    what: { text: type, color: COLORS[type] ?? ((text) => text) },
    about: about(type, data),
    error: data.error == null ? "" : { text: failure(data.error, data.response_code), color: paint.red },
    next: next(data, at),
  };
}

function about(type: string, data: Record<string, unknown>): string {
  if (type === "mail.sent") return `to ${data.to}`;
  const subject = data.event ?? data.event_id ?? data.id ?? data.target ?? data.seed;
  const attempt = data.attempt === undefined ? "" : `, attempt ${data.attempt}`;
  return subject === undefined ? "" : `${subject}${attempt}`;
}

function next(data: Record<string, unknown>, at: string): string {
  if (typeof data.next_attempt_at === "string")
    return `next ${time(data.next_attempt_at)} (${until(at, data.next_attempt_at)})`;
  if (typeof data.times_out_at === "string") return `times out ${time(data.times_out_at)}`;
  if (typeof data.subject === "string") return data.subject;
  if (typeof data.reason === "string") return data.reason.replaceAll("_", " ");
  if (typeof data.attempts === "number") return `after ${data.attempts} attempts`;
  return "";
}

/** The URLs of endpoints by their id. */
export function urlsById(webhooks: readonly WebhookWithSecret[]): Map<string, string> {
  return new Map(webhooks.map(({ id, url }) => [id, url]));
}

/** The endpoint that something is about: its URL, or its id when it is gone. */
export function endpointOf(data: Record<string, unknown>, urls: Map<string, string>): string {
  const id =
    typeof data.webhook_id === "string"
      ? data.webhook_id
      : typeof data.id === "string" && data.id.startsWith("wh_")
        ? data.id
        : "";
  return urls.get(id) ?? id;
}
