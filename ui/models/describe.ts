import type { AdvancePreview, DueTimer, JournalEntry } from "../api-types.ts";
import { DATA_WORDS } from "./entries/data.ts";
import { DELIVERY_WORDS } from "./entries/deliveries.ts";
import { GAME_WORDS } from "./entries/game.ts";
import { PAYMENT_WORDS } from "./entries/payments.ts";
import { SANDBOX_WORDS } from "./entries/sandbox.ts";
import { attempt, type Described, payment, text, type Words, webhook } from "./entries/words.ts";
import { count } from "./format.ts";

export type { Described, Tone } from "./entries/words.ts";

const ENTRIES: Words = {
  ...PAYMENT_WORDS,
  ...DELIVERY_WORDS,
  ...DATA_WORDS,
  ...GAME_WORDS,
  ...SANDBOX_WORDS,
};

export const hasWords = (type: string): boolean => Object.hasOwn(ENTRIES, type);

/** An entry of a kind that has no words of its own is shown by its name and id. */
export function describeEntry({ type, data }: JournalEntry): Described {
  const own = hasWords(type) ? ENTRIES[type]!(data) : { title: type, detail: text(data.id) };
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

/** What a dry run expects, in the words of the ledger: `2 to 4 attempts, 1 session expired`. */
export function tallyPreview({ would_fire: due, would_cause: { attempts, events } }: AdvancePreview): string {
  const { least, most } = attempts;
  const range = least === most ? "" : `${least} to `;
  const parts = TALLIES.filter(([type]) => events[type]).map(([type, one, many]) =>
    count(events[type]!, one, many),
  );
  if (most > 0) parts.unshift(`${range}${count(most, "attempt")}`);
  return parts.join(", ") || count(due.length, "step");
}
