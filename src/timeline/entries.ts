import type { JournalEntry } from "../world/journal.ts";
import { DATA_WORDS } from "./entries/chain-data.ts";
import { DELIVERY_WORDS } from "./entries/deliveries.ts";
import { GAME_WORDS } from "./entries/game.ts";
import { PAYMENT_WORDS } from "./entries/payments.ts";
import { type Described, listed, named, text, type Words } from "./entries/words.ts";
import { count, plain } from "./text.ts";

export type { Described, Tone } from "./entries/words.ts";

/** The entries that start a new journal in place of an earlier one. */
export const REPLACEMENTS = ["world.reset", "world.restored", "world.undone"];

/** A person's actions on the sandbox itself. */
const SANDBOX_WORDS: Words = {
  "fault.set": (data) => ({ title: `Fault set on ${text(data.target)}`, detail: text(data.spec) }),
  "fault.cleared": (data) => ({ title: `Fault cleared on ${text(data.target)}` }),
  "world.reset": (data) => ({ title: "World reset", detail: `seed ${text(data.seed)}` }),
  "world.restored": named("World restored", "plain", "snapshot"),
  "world.undone": () => ({ title: "Undone: the world is as it was before" }),
  "world.stopped": named("World stopped", "bad", "reason"),
  "world.not_opened": (data) => ({
    title: `World ${text(data.world)} could not be opened`,
    tone: "bad",
    detail: text(data.problem),
  }),
};

const WORDS: Words = { ...PAYMENT_WORDS, ...DELIVERY_WORDS, ...DATA_WORDS, ...GAME_WORDS, ...SANDBOX_WORDS };

export type EndpointUrls = ReadonlyMap<string, string>;

export const urlsOf = (endpoints: readonly { id: string; url: string }[]): EndpointUrls =>
  new Map(endpoints.map(({ id, url }) => [id, url]));

/** Describes an entry, including its endpoint in the detail. */
export function describeWithEndpoint(entry: JournalEntry, urls: EndpointUrls): Described {
  const described = describeEntry(entry);
  const id = endpointOf(entry);
  if (id === "") return described;
  const endpoint = text(urls.get(id) ?? id);
  return described.detail === endpoint
    ? described
    : { ...described, detail: listed(endpoint, described.detail) };
}

function endpointOf({ type, data }: JournalEntry): string {
  const [group] = type.split(".");
  if (group === "webhook") return text(data.id);
  if (group === "fault") return /^webhook:(.+)$/.exec(text(data.target))?.[1] ?? "";
  return group === "delivery" || group === "retry" ? text(data.webhook_id) : "";
}

/**
 * Describes an entry. By default, `refund.created` becomes `Refund created`, with the most informative field of its
 * data.
 */
export function describeEntry({ type, data }: Pick<JournalEntry, "type" | "data">): Described {
  const words = Object.hasOwn(WORDS, type)
    ? WORDS[type]!(data)
    : {
        title: plain(`${type.charAt(0).toUpperCase()}${type.slice(1).replace(/[._]/g, " ")}`),
        detail: text(data.reason ?? data.id ?? data.name ?? data.key ?? data.provider),
      };
  return { tone: "plain", detail: "", ...words };
}

/** The end of an attempt implies its start, and an inbox's own entry adds nothing. */
const UNSHOWN = new Set(["delivery.started", "inbox.received"]);

export function worthShowing(entries: readonly JournalEntry[]): JournalEntry[] {
  return entries.filter(({ type }) => !UNSHOWN.has(type));
}

const TALLIES: [type: string, one: string, many: string][] = [
  ["payment.completed", "payment completed", "payments completed"],
  ["payment.failed", "payment failed", "payments failed"],
  ["checkout.expired", "session expired", "sessions expired"],
  ["delivery.succeeded", "attempt delivered", "attempts delivered"],
  ["delivery.failed", "attempt failed", "attempts failed"],
  ["delivery.exhausted", "event ran out of attempts", "events ran out of attempts"],
  ["retry.skipped", "retry skipped", "retries skipped"],
  ["webhook.disabled", "endpoint disabled", "endpoints disabled"],
  ["webhook.enabled", "endpoint enabled", "endpoints enabled"],
  ["mail.sent", "e-mail", "e-mails"],
];

/** Counts of the most important kinds of entries: `3 attempts failed`, `1 e-mail`. */
export function tallyCounts(counts: Readonly<Record<string, number>>): string[] {
  return TALLIES.flatMap(([type, one, many]) => (counts[type] ? [count(counts[type], one, many)] : []));
}

/** Summarizes entries in a line: `3 attempts failed, 1 endpoint disabled, 1 e-mail`. Empty if nothing happened. */
export function tally(entries: readonly JournalEntry[]): string {
  const counts: Record<string, number> = {};
  for (const { type } of entries) counts[type] = (counts[type] ?? 0) + 1;
  const parts = tallyCounts(counts);
  if (parts.length > 0) return parts.join(", ");
  const [only, ...rest] = worthShowing(entries);
  if (!only) return "";
  return rest.length === 0 ? describeEntry(only).title : count(rest.length + 1, "entry", "entries");
}

const TIMERS: Record<string, string> = {
  "webhooks.timeout": "An unanswered attempt times out",
  "webhooks.resume": "An interrupted attempt is sent again",
  "payments.session_expiry": "A checkout session expires",
  "payments.confirmation": "A payment is confirmed",
};

export function describeTimer({ kind, payload }: { kind: string; payload: Record<string, unknown> }): string {
  if (kind === "webhooks.attempt") return `Attempt ${text(payload.attempt)} of ${text(payload.event)}`;
  return TIMERS[kind] ?? plain(kind);
}
