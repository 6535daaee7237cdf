import type { JournalEntry } from "../world/journal.ts";
import { clip, count, instant, plain } from "./text.ts";

export type Tone = "good" | "bad" | "plain";

/** A journal entry as a person reads it: one line each, without control characters. */
export interface Told {
  tone: Tone;
  title: string;
  detail: string;
}

type Data = Record<string, unknown>;

/** The longest that a part of an entry is shown; longer texts are the data of somebody. */
const LONGEST = 200;

/** That an attempt begins is said again by how it ends, and an inbox's own view of it adds nothing to read. */
const UNSHOWN = new Set(["delivery.started", "inbox.received"]);

/** The entries that a person wants to see. */
export function worthTelling(ledger: readonly JournalEntry[]): JournalEntry[] {
  return ledger.filter(({ type }) => !UNSHOWN.has(type));
}

function text(value: unknown): string {
  if (value === null || value === undefined) return "";
  return plain(clip(typeof value === "object" ? JSON.stringify(value) : String(value), LONGEST));
}

const attempt = (data: Data) =>
  data.trigger === "test"
    ? `Test of ${text(data.event)}`
    : `Attempt ${text(data.attempt)} of ${text(data.event)}`;
const reason = (data: Data) => text(data.reason).replaceAll("_", " ");

function outcome(data: Data): string {
  const code = text(data.response_code);
  const error = text(data.error).replaceAll("_", " ");
  const result = error === "status" || error === "" ? code : [error, code].filter(Boolean).join(" ");
  const next =
    typeof data.next_attempt_at === "string" ? `next at ${instant(text(data.next_attempt_at))}` : "";
  const row =
    typeof data.consecutive_failures === "number" && error !== ""
      ? `${data.consecutive_failures} in a row`
      : "";
  const answer = typeof data.response_body === "string" ? `answered ${quoted(data.response_body)}` : "";
  return [result, row, next, answer].filter(Boolean).join(", ");
}

/** Words of a subscriber in one line. */
const quoted = (words: string) => `"${text(words.replace(/\s+/g, " ").trim())}"`;

type Words = (data: Data) => { title: string; detail?: string; tone?: Tone };

const WORDS: Record<string, Words> = {
  "delivery.started": (data) => ({ title: `${attempt(data)} begins` }),
  "delivery.succeeded": (data) => ({
    title: `${attempt(data)} delivered`,
    detail: outcome(data),
    tone: "good",
  }),
  "delivery.failed": (data) => ({ title: `${attempt(data)} failed`, detail: outcome(data), tone: "bad" }),
  "delivery.unanswered": (data) => ({
    title: `${text(data.event)}: no answer yet`,
    detail: `times out at ${instant(text(data.times_out_at))}`,
  }),
  "delivery.exhausted": (data) => ({
    title: `${text(data.event)} given up`,
    detail: `after ${count(Number(data.attempts), "attempt")}`,
    tone: "bad",
  }),
  "delivery.skipped": (data) => ({ title: `${text(data.event)} not sent`, detail: reason(data) }),
  "delivery.resumed": (data) => ({ title: "Attempt sent again after a crash", detail: text(data.id) }),
  "retry.skipped": (data) => ({ title: `${attempt(data)} will not be made`, detail: reason(data) }),
  "retry.cancelled": (data) => ({ title: `${attempt(data)} is not needed`, detail: reason(data) }),
  "webhook.created": (data) => ({ title: "Endpoint created", detail: text(data.id) }),
  "webhook.updated": (data) => ({ title: "Endpoint changed", detail: text(data.id) }),
  "webhook.deleted": (data) => ({ title: "Endpoint deleted", detail: text(data.id) }),
  "webhook.enabled": (data) => ({ title: "Endpoint enabled", detail: text(data.id), tone: "good" }),
  "webhook.disabled": (data) => ({
    title: "Endpoint disabled",
    detail:
      data.reason === "consecutive_failures"
        ? `after ${count(Number(data.consecutive_failures), "failure")} in a row`
        : "by hand",
    tone: "bad",
  }),
  "payment.pending": (data) => ({ title: "Payment pending", detail: text(data.id) }),
  "payment.confirming": (data) => ({ title: "Payment confirming", detail: text(data.id) }),
  "payment.completed": (data) => ({ title: "Payment completed", detail: text(data.id), tone: "good" }),
  "payment.failed": (data) => ({
    title: "Payment failed",
    detail: [text(data.failure_reason).replaceAll("_", " "), text(data.id)].filter(Boolean).join(", "),
    tone: "bad",
  }),
  "checkout.created": (data) => ({ title: "Checkout session opened", detail: text(data.id) }),
  "checkout.updated": (data) => ({ title: "Checkout session changed", detail: text(data.id) }),
  "checkout.completed": (data) => ({
    title: "Checkout session completed",
    detail: text(data.id),
    tone: "good",
  }),
  "checkout.expired": (data) => ({ title: "Checkout session expired", detail: text(data.id) }),
  "customer.updated": (data) => ({ title: "Customer changed", detail: text(data.id) }),
  "customer.deleted": (data) => ({ title: "Customer deleted", detail: text(data.id) }),
  "organization.updated": (data) => ({ title: "Organization changed", detail: text(data.id) }),
  "mail.sent": (data) => ({ title: `E-mail to ${text(data.to)}`, detail: text(data.subject) }),
  "inbox.received": (data) => ({
    title: `Inbox ${text(data.inbox)} got ${text(data.event) || "a message"}`,
    detail: `answered ${text(data.answered)}`,
  }),
  "inbox.behaviour": (data) => ({
    title: `Inbox ${text(data.inbox)} answers differently`,
    detail: text(data.behaviour),
  }),
  "fault.set": (data) => ({ title: `Fault set on ${text(data.target)}`, detail: text(data.spec) }),
  "fault.cleared": (data) => ({ title: `Fault lifted from ${text(data.target)}` }),
  "upstream.answered": (data) => ({
    title: `Provider ${text(data.provider)} answered`,
    detail: text(data.request),
  }),
  "upstream.empty": (data) => ({
    title: `Provider ${text(data.provider)} has nothing`,
    detail: text(data.request),
  }),
  "upstream.failed": (data) => ({
    title: `Provider ${text(data.provider)} failed`,
    detail: reason(data),
    tone: "bad",
  }),
  "rule.fired": (data) => ({
    title: `Rule ${text(data.rule)} fired`,
    detail: text(data.player),
    tone: "good",
  }),
  "rule.skipped": (data) => ({ title: `Rule ${text(data.rule)} did not fire`, detail: reason(data) }),
  "world.reset": (data) => ({ title: "World reset", detail: `seed ${text(data.seed)}` }),
  "world.restored": (data) => ({ title: "World restored", detail: text(data.snapshot) }),
  "world.not_opened": (data) => ({
    title: `World ${text(data.world)} could not be opened`,
    detail: text(data.problem),
    tone: "bad",
  }),
};

/** What an entry says. One of a kind that has no words of its own is told by its name and the best of its data. */
export function tellEntry({ type, data }: JournalEntry): Told {
  const own = Object.hasOwn(WORDS, type)
    ? WORDS[type]!(data)
    : { title: plain(type), detail: text(data.reason ?? data.id ?? data.name ?? data.key ?? data.provider) };
  return { tone: "plain", detail: "", ...own };
}

const TALLIES: [type: string, one: string, many: string][] = [
  ["payment.completed", "payment completed", "payments completed"],
  ["payment.failed", "payment failed", "payments failed"],
  ["checkout.expired", "session expired", "sessions expired"],
  ["delivery.succeeded", "attempt delivered", "attempts delivered"],
  ["delivery.failed", "attempt failed", "attempts failed"],
  ["delivery.exhausted", "event given up", "events given up"],
  ["retry.skipped", "retry skipped", "retries skipped"],
  ["webhook.disabled", "endpoint disabled", "endpoints disabled"],
  ["webhook.enabled", "endpoint enabled", "endpoints enabled"],
  ["mail.sent", "e-mail", "e-mails"],
];

/** A ledger in a line: `3 attempts failed, 1 endpoint disabled, 1 e-mail`; empty when nothing happened. */
export function tally(ledger: readonly JournalEntry[]): string {
  const found = new Map<string, number>();
  for (const { type } of ledger) found.set(type, (found.get(type) ?? 0) + 1);
  const told = TALLIES.flatMap(([type, one, many]) =>
    found.has(type) ? [count(found.get(type)!, one, many)] : [],
  );
  if (told.length > 0) return told.join(", ");
  const [only, ...rest] = worthTelling(ledger);
  if (!only) return "";
  return rest.length === 0 ? tellEntry(only).title : count(rest.length + 1, "entry", "entries");
}
