import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { AUDIT_EVENT_TYPES } from "../../src/payments/audit.ts";
import { KINDS } from "../../ui/models/activity/journal-view.ts";
import { describeEntry, hasWords } from "../../ui/models/describe.ts";
import { entry } from "./support/entries.ts";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));

/** What is appended under a name that is no literal there. */
const COMPUTED: Record<string, readonly string[]> = {
  "`upstream.${result}`": ["upstream.answered", "upstream.empty", "upstream.failed"],
  PAYMENT_REQUESTED: ["game.payment_requested"],
  type: AUDIT_EVENT_TYPES,
};

/** Every type of entry that the sources append to the journal. */
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

test("every entry that is written has words, and a kind in the filter", () => {
  const types = appendedTypes();
  expect(types.length).toBeGreaterThan(60);
  expect(types.filter((type) => !hasWords(type))).toEqual([]);
  const inKind = (type: string) =>
    KINDS.filter(([, prefixes]) => prefixes.some((one) => type.startsWith(one)));
  expect(types.filter((type) => inKind(type).length !== 1)).toEqual([]);
});

test.each(appendedTypes())("%s is described even when its data says nothing", (type) => {
  const { title, detail } = describeEntry(entry(1, { type, data: {} }));
  expect(typeof title).toBe("string");
  expect(`${title} ${detail}`).not.toMatch(/undefined|null|\[object/);
});

test.each([
  [
    "upstream.failed",
    { provider: "indexer", chain_id: null, path: "/x", status: 502, reason: "http" },
    "indexer answered 502",
  ],
  [
    "provider.changed",
    { provider: "explorer-1", state: "slow", latency: 4_000, times: 2 },
    "Provider explorer-1 is slow",
  ],
  ["state.set", { player: "ada", game: "tide", label: "save", bytes: 2_048 }, "State save set, 2.0 KB"],
  ["payment_link.updated", { id: "pl_1" }, "Payment link updated"],
  ["world.restored", { snapshot: "mine" }, "World restored"],
] as const)("%s in words", (type, data, title) => {
  expect(describeEntry(entry(1, { type, data })).title).toBe(title);
});
