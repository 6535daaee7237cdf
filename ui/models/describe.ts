import type { DueTimer, JournalEntry } from "../api-types.ts";
import { count } from "./format.ts";
import { href } from "./router.ts";

export type Tone = "good" | "bad" | "plain";

/** A journal entry as a person reads it. */
export interface Described {
  tone: Tone;
  title: string;
  detail: string;
  /** Where to look at it. */
  href: string | undefined;
}

type Data = Record<string, unknown>;
type Describe = (data: Data) => Partial<Described> & { title: string };

const text = (value: unknown): string => (value === null || value === undefined ? "" : String(value));
const delivery = (data: Data) => href(["webhooks", text(data.webhook_id), text(data.id)]);
const webhook = (id: unknown) => href(["webhooks", text(id)]);
const payment = (id: unknown) => href(["payments", "story", text(id)]);
const attempt = (data: Data) => `Attempt ${text(data.attempt)} of ${text(data.event)}`;
const answered = (data: Data) => text(data.response_code ?? data.error);

const SKIPPED: Record<string, string> = {
  endpoint_disabled: "the endpoint is disabled",
  endpoint_deleted: "the endpoint was deleted",
  delivered: "the event was delivered meanwhile",
};
const because = (data: Data) => SKIPPED[text(data.reason)] ?? text(data.reason);

const ENTRIES: Record<string, Describe> = {
  "payment.pending": (data) => ({ title: "Payment pending", href: payment(data.id) }),
  "payment.confirming": (data) => ({ title: "Payment confirming", href: payment(data.id) }),
  "payment.completed": (data) => ({ title: "Payment completed", tone: "good", href: payment(data.id) }),
  "payment.failed": (data) => ({
    title: "Payment failed",
    tone: "bad",
    detail: text(data.failure_reason),
    href: payment(data.id),
  }),
  "checkout.created": (data) => ({ title: "Checkout session opened", href: payment(data.id) }),
  "checkout.updated": (data) => ({ title: "Checkout session updated", href: payment(data.id) }),
  "checkout.completed": (data) => ({ title: "Checkout session completed", href: payment(data.id) }),
  "checkout.expired": (data) => ({ title: "Checkout session expired", href: payment(data.id) }),
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
      data.reason === "dashboard"
        ? "by hand"
        : `after ${count(Number(data.consecutive_failures), "failure")} in a row`,
    href: webhook(data.id),
  }),
  "webhook.enabled": (data) => ({ title: "Endpoint enabled", tone: "good", href: webhook(data.id) }),
  "webhook.created": (data) => ({ title: "Endpoint created", href: webhook(data.id) }),
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
  "fault.set": (data) => ({ title: "Fault set", detail: text(data.target), href: target(data) }),
  "fault.cleared": (data) => ({ title: "Fault lifted", detail: text(data.target), href: target(data) }),
  "world.reset": (data) => ({ title: "World reset", detail: `seed ${text(data.seed)}` }),
};

function target(data: Data): string | undefined {
  const [kind, id] = text(data.target).split(":");
  return kind === "webhook" && id ? webhook(id) : undefined;
}

/** An entry of a kind that has no words of its own is shown by its name and id. */
export function describeEntry({ type, data }: JournalEntry): Described {
  const own = Object.hasOwn(ENTRIES, type) ? ENTRIES[type]!(data) : { title: type, detail: text(data.id) };
  return { tone: "plain", detail: "", href: undefined, ...own };
}

/** What a dry run says will happen. */
export function describeTimer({ kind, key, payload }: DueTimer): { title: string; href: string | undefined } {
  if (kind === "webhooks.attempt") return { title: `${attempt(payload)}`, href: webhook(payload.webhook_id) };
  if (kind === "webhooks.timeout") return { title: "An unanswered attempt times out", href: undefined };
  if (kind === "webhooks.resume") return { title: "An attempt is sent again", href: undefined };
  if (kind === "payments.session_expiry") return { title: "A checkout session expires", href: payment(key) };
  if (kind === "payments.confirmation") return { title: "A payment is confirmed", href: payment(key) };
  return { title: kind, href: undefined };
}

const TALLIES: [type: string, one: string, many?: string][] = [
  ["delivery.succeeded", "attempt delivered", "attempts delivered"],
  ["delivery.failed", "attempt failed", "attempts failed"],
  ["delivery.exhausted", "event given up", "events given up"],
  ["retry.skipped", "retry skipped", "retries skipped"],
  ["webhook.disabled", "endpoint disabled", "endpoints disabled"],
  ["mail.sent", "e-mail"],
  ["payment.completed", "payment completed", "payments completed"],
  ["payment.failed", "payment failed", "payments failed"],
  ["checkout.expired", "session expired", "sessions expired"],
];

/** A ledger in a line: `3 attempts failed, 1 endpoint disabled, 1 e-mail`. */
export function tally(entries: JournalEntry[]): string {
  const counts = new Map<string, number>();
  for (const { type } of entries) counts.set(type, (counts.get(type) ?? 0) + 1);
  const told = TALLIES.filter(([type]) => counts.has(type)).map(([type, one, many]) =>
    count(counts.get(type)!, one, many),
  );
  if (told.length > 0) return told.join(", ");
  return entries.length === 0 ? "nothing was due" : count(entries.length, "entry", "entries");
}

/** A dry run in a line: `3 attempts, 1 session expiry`. */
export function tallyTimers(timers: DueTimer[]): string {
  const names: Record<string, [string, string?]> = {
    "webhooks.attempt": ["attempt"],
    "webhooks.timeout": ["time-out"],
    "payments.session_expiry": ["session expiry", "session expiries"],
    "payments.confirmation": ["confirmation"],
  };
  const counts = new Map<string, number>();
  for (const { kind } of timers) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, value]) => count(value, ...(names[kind] ?? ["timer"]))).join(", ");
}
