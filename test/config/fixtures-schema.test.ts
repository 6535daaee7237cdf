import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { AREAS } from "../../src/sandbox/areas.ts";
import { fixturesSchema } from "../../src/sandbox/fixtures/description.ts";
import { FORMATS } from "../../src/schema/formats.ts";
import type { Schema } from "../../src/schema/schema.ts";
import { TEXT_FORMATS } from "../../src/schema/text-formats.ts";
import { folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
// The build creates one of the files that this test reads.
import "../support/built.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const schema = (await fixturesSchema(AREAS)) as Schema & { properties: Record<string, Schema> };

const formats = {
  ...Object.fromEntries(
    Object.entries(FORMATS).map(([name, format]) => [
      name,
      (value: unknown) => format.read(value) !== undefined,
    ]),
  ),
  ...Object.fromEntries(Object.entries(TEXT_FORMATS).map(([name, { fits }]) => [name, fits])),
  moment: (text: string) => text === "now" || /^[+-]\d/.test(text) || FORMATS.time!.read(text) !== undefined,
};
const fits = new Ajv({ strict: false, formats }).compile(schema);

test("the package contains the fixtures' JSON Schema at the path in docs/own-data.md", () => {
  const [path] = /dist\/fixtures\S*\.json/.exec(read("docs/own-data.md"))!;
  expect(JSON.parse(read(path))).toEqual(JSON.parse(JSON.stringify(schema)));
});

test("docs/fixture-files.md lists every kind of row with its required fields", () => {
  const table = new Map(
    [...read("docs/fixture-files.md").matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(([, kind, needs]) => [
      kind!,
      needs!,
    ]),
  );
  for (const [kind, { items }] of Object.entries(schema.properties)) {
    if (kind.startsWith("$")) continue;
    const needs = table.get(kind);
    expect(needs, kind).toBeDefined();
    for (const field of items && kind !== "rules" ? (items.required ?? []) : [])
      expect(needs, kind).toContain(`\`${field}\``);
  }
});

describe("the JSON Schema of fixtures", () => {
  const start = (content: object) => startSandbox({ from: folderOf({ "a.json": JSON.stringify(content) }) });

  test.each<[content: object]>([
    [{}],
    [{ $schema: "./x.json", history: 7, startAt: "2027-01-01", seed: "a" }],
    [{ organizations: [{ name: "A", notifications: { email_enabled: false } }] }],
    [{ discount_codes: [{ code: "A", discount_type: "fixed", discount_value: "5" }] }],
    [{ transactions: [{ amount: "1", customer: null, created_at: "-3d" }] }],
    [{ payment_links: [{ name: "L", product: { deleted: "prod_x" } }] }],
    [{ players: [{}], rules: [{ name: "r", when: "x", then: [{ item: { name: "T" } }] }] }],
  ])("the fixtures' JSON Schema and the sandbox both accept %j", async (content) => {
    expect(fits(content), JSON.stringify(fits.errors)).toBe(true);
    await start(content);
  });

  test.each<[content: object]>([
    [{ histroy: 7 }],
    [{ history: 121 }],
    [{ startAt: "now" }],
    [{ products: {} }],
    [{ products: [{}] }],
    [{ products: [{ name: "A", amount: 5 }] }],
    [{ products: [{ name: "A", metadata: { a: {} } }] }],
    [{ customers: [{ wallet_address: "0x1" }] }],
    [{ webhooks: [{ url: "/x", events: ["payment.complete"] }] }],
    [{ api_keys: [{ name: "A", key: "short" }] }],
    [{ checkout_sessions: [{ amount: "1", status: "open" }] }],
    [{ players: [{ id: "1" }] }],
    [{ channels: [{ name: "C", participants: [] }] }],
    [{ rules: [{ name: "r", when: "x", then: [{ dance: {} }] }] }],
    [{ holdings: [{ address: `0x${"1".repeat(40)}`, tokens: [{ value: 5, token: {} }] }] }],
    [{ tokens: [{ chain_id: 0, token_address: `0x${"1".repeat(40)}`, symbol: "A" }] }],
  ])("the fixtures' JSON Schema and the sandbox both reject %j", async (content) => {
    expect(fits(content)).toBe(false);
    await expect(start(content)).rejects.toMatchObject({ code: "invalid_fixtures" });
  });
});
