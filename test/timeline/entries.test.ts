import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { EVENT_TYPES } from "../../src/payments/webhooks/event-types.ts";
import { AUDIT_EVENT_TYPES } from "../../src/payments/words.ts";
import { ENTRY_NAMES } from "../../src/sandbox/entry-names.ts";
import { ENDPOINT_STATUSES } from "../../src/timeline/endpoint-state.ts";
import { describeEntry, tally, worthShowing } from "../../src/timeline/entries.ts";
import { describeEntry as describeOnPage } from "../../ui/models/describe.ts";
import { entry } from "../ui/support/entries.ts";

/** Every name that a journal entry can have. */
const NAMES: readonly string[] = ENTRY_NAMES;

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));

/** Entries that are appended under a computed name, keyed by the code that computes it. */
const COMPUTED: Record<string, readonly string[]> = {
  "`upstream.${result}`": ["upstream.answered", "upstream.empty", "upstream.failed"],
  PAYMENT_REQUESTED: ["game.payment_requested"],
  RULE_PAYMENT: ["rule.payment"],
  "`webhook.${to}`": ENDPOINT_STATUSES.map((status) => `webhook.${status}`),
  outcome: ["payment.completed", "payment.failed"],
  type: AUDIT_EVENT_TYPES,
  action: ["webhook.created", "webhook.updated", "webhook.deleted"],
};

/** All entry types that the sources append to the journal. */
function appendedTypes(): string[] {
  const found = new Set<string>();
  for (const file of readdirSync(SRC, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    const source = readFileSync(join(SRC, file), "utf8");
    for (const [, name = ""] of source.matchAll(/journal\.append\(\s*([^,]+),/g)) {
      const literals = [...name.matchAll(/"([^"]+)"/g)].map(([, literal]) => literal!);
      const types = literals.length > 0 ? literals : COMPUTED[name.trim()];
      expect(types, `${file} appends ${name}`).toBeDefined();
      for (const type of types!) found.add(type);
    }
  }
  return [...found].sort();
}

test("every journal entry that the sources write is in the list of names", () => {
  const unnamed = appendedTypes().filter((type) => !NAMES.includes(type));
  expect(unnamed, "not in the entries of an area.ts, or in sandbox/entry-names.ts").toEqual([]);
});

test("journal entries link only to existing views of the page", () => {
  const views = readdirSync(join(SRC, "../ui/views"));
  const data = { id: "a", webhook_id: "b", transaction_id: "c", target: "provider:explorer-1" };
  const places = NAMES.map((type) => describeOnPage(entry(1, { type, data })).href);
  expect(places.length).toBeGreaterThan(20);
  expect(places.filter((place) => !views.includes(place.split(/[/?]/)[1]!))).toEqual([]);
});

/** The places that must list every event that a subscriber can receive. */
const LISTS: Record<string, (type: string) => boolean> = {
  "the Register section of docs/guide/webhooks.md": (type) =>
    docs("guide/webhooks.md").includes(`\`${type}\``),
  "the list of entries in payments/area.ts": (type) => NAMES.includes(type),
};
const docs = (name: string): string => readFileSync(join(SRC, "../docs", name), "utf8");

test.each(Object.entries(LISTS))("%s includes every event that a subscriber can get", (list, has) => {
  const missing = EVENT_TYPES.filter((type) => !has(type));
  expect(missing, `${list} lacks ${missing.join(", ")}`).toEqual([]);
});

test.each(NAMES)("the journal entry %s has a description even if its data is empty", (type) => {
  const { title, detail } = describeEntry(entry(1, { type, data: {} }));
  expect(typeof title).toBe("string");
  expect(`${title} ${detail}`).not.toMatch(/undefined|null|NaN|\[object/);
});

test.each([
  [
    "upstream.failed",
    { provider: "indexer", chain_id: null, path: "/x", status: 502, reason: "http" },
    "indexer responded 502",
  ],
  [
    "provider.changed",
    { provider: "explorer-1", state: "slow", latency: 4_000, times: 2 },
    "Provider explorer-1 is slow",
  ],
  ["state.set", { player: "ada", game: "tide", label: "save", bytes: 2_048 }, "State save set, 2.0 KiB"],
  ["payment_link.updated", { id: "pl_1" }, "Payment link updated"],
  ["world.restored", { snapshot: "mine" }, "World restored"],
  ["world.undone", { seed: "a" }, "Undone: the world is as it was before"],
] as const)("the journal entry %s has its own description", (type, data, title) => {
  expect(describeEntry(entry(1, { type, data })).title).toBe(title);
});

test("the description of a failed attempt includes its reason and what follows", () => {
  const data = {
    attempt: 2,
    event: "payment.completed",
    error: "status",
    response_code: 503,
    response_body: "try\n later",
    consecutive_failures: 2,
    next_attempt_at: "2026-01-15T09:11:00.000Z",
  };
  expect(describeEntry({ type: "delivery.failed", data })).toEqual({
    tone: "bad",
    title: "Attempt 2 of payment.completed failed",
    detail: 'status 503, 2 in a row, next at 2026-01-15 09:11:00, returned "try later"',
  });
  expect(describeEntry({ type: "delivery.failed", data: { ...data, trigger: "manual" } }).title).toBe(
    "Manual retry of payment.completed (attempt 2) failed",
  );
  const refused = { ...data, error: "connection_refused", response_code: null };
  expect(describeEntry({ type: "delivery.failed", data: refused }).detail).toMatch(
    /^connection refused, 2 in/,
  );
});

test("an entry without its own description shows its name and main data on one line", () => {
  const shown = describeEntry({ type: "constructor", data: { id: "<b>\u001b\n" } });
  expect(shown).toEqual({ tone: "plain", title: "Constructor", detail: "<b>··" });
});

test("several journal entries are summarized on one line", () => {
  const ofTypes = (...types: string[]) => types.map((type, index) => entry(index + 1, { type }));
  expect(tally(ofTypes("delivery.failed", "delivery.failed", "webhook.disabled", "mail.sent"))).toBe(
    "2 attempts failed, 1 endpoint disabled, 1 e-mail",
  );
  expect(tally(ofTypes("webhook.created"))).toBe("Endpoint created");
  expect(tally(ofTypes("webhook.created", "webhook.updated"))).toBe("2 entries");
  expect(tally(ofTypes("delivery.started"))).toBe("");
  expect(worthShowing(ofTypes("delivery.started", "inbox.received", "mail.sent"))).toHaveLength(1);
});
