import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import CHAINS from "../../fixtures/payments/chains.json" with { type: "json" };
import type { ApiKeyRow, OrganizationRow } from "../../src/payments/rows.ts";
import {
  MAIN_ORGANIZATION,
  OTHER_ORGANIZATION,
  SEEDED_KEYS,
  seedOrganizations,
} from "../../src/payments/seed/organizations.ts";
import { DAY } from "../../src/world/duration.ts";
import { dump, emptyWorld, NOW, START, seededDump, seededWorld } from "./seed-world.ts";

const { world, rows, count } = seededWorld();

describe("the seed data", () => {
  test("the same seed and start time produce the same rows", async () => {
    expect(await seededDump("x")).toEqual(dump(world));
  });

  test("another seed produces different payment links and the same organizations", async () => {
    const other = await seededDump("y");
    expect(other.payment_links).not.toEqual(dump(world).payment_links);
    expect(other.organizations).toEqual(dump(world).organizations);
  });

  test("a later start produces the same seeded API keys with later times", async () => {
    const later = await seededDump("x", NOW + 3 * DAY);
    const ids = (list: unknown[] | undefined) =>
      (list as { id: string; created_at: number }[]).map(({ id }) => id);
    expect(ids(later.api_keys)).toEqual(ids(dump(world).api_keys));
    const keys = later.api_keys as ApiKeyRow[];
    expect(keys.every((row) => row.created_at >= START + 3 * DAY)).toBe(true);
  });

  test("the seed leaves the journal empty, and creates timers only for active sessions", () => {
    expect(count("journal")).toBe(0);
    expect(count("timers")).toBe(count("checkout_sessions where status = 'active'"));
  });

  test("the seed contains only events from the 30 days before now [fidelity: Simulated › History]", () => {
    const future = new Set(["expires_at", "next_attempt_at", "start_at"]);
    let checked = 0;
    for (const [table, list] of Object.entries(dump(world))) {
      if (["timers", "random", "world"].includes(table)) continue;
      for (const row of list as Record<string, unknown>[]) {
        for (const [column, value] of Object.entries(row)) {
          if (!/(?:_at|^at)$/.test(column) || future.has(column) || value === null) continue;
          expect(value, `${table}.${column}`).toBeGreaterThanOrEqual(START);
          expect(value, `${table}.${column}`).toBeLessThanOrEqual(NOW);
          expect(Number.isInteger(value)).toBe(true);
          checked += 1;
        }
        if ("updated_at" in row && "created_at" in row) {
          expect(row.updated_at).toBeGreaterThanOrEqual(row.created_at as number);
        }
      }
    }
    expect(checked).toBeGreaterThan(3_000);
  });

  test("seeded ids have the prefix of their table and 16 base62 characters [fidelity: API › Ids]", () => {
    const prefixes = {
      payment_links: "pl_",
      checkout_sessions: "cs_",
      transactions: "txn_",
      webhooks: "wh_",
      webhook_deliveries: "del_",
      webhook_events: "evt_",
      audit_events: "evt_",
      products: "prod_",
      discount_codes: "disc_",
      widgets: "wid_",
      customers: "cus_",
      api_keys: "key_",
      mail: "mail_",
      organizations: "org_",
    };
    for (const [table, prefix] of Object.entries(prefixes)) {
      const ids = rows<{ id: string }>(`select id from ${table}`);
      expect(ids.length, table).toBeGreaterThan(0);
      for (const { id } of ids) expect(id).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{16}$`));
    }
  });

  test("the seed fills every list of the first organization, and most lists of the second", () => {
    const least: [table: string, first: number, other: number][] = [
      ["payment_links", 50, 3],
      ["checkout_sessions", 300, 10],
      ["transactions", 200, 10],
      ["products", 24, 1],
      ["discount_codes", 15, 1],
      ["widgets", 8, 0],
      ["customers", 60, 10],
      ["audit_events", 100, 1],
      ["webhooks", 2, 1],
    ];
    for (const [table, first, other] of least) {
      expect(count(`${table} where org = ?`, MAIN_ORGANIZATION), table).toBeGreaterThanOrEqual(first);
      expect(count(`${table} where org = ?`, OTHER_ORGANIZATION), table).toBeGreaterThanOrEqual(other);
    }
  });
});

describe("seeded organizations and keys", () => {
  test("the empty seed has two organizations and five keys, but no other data [fidelity: Simulated › Dashboard]", () => {
    const empty = emptyWorld();
    seedOrganizations(empty);
    const filled = Object.entries(dump(empty)).filter(([, list]) => list.length > 0);
    expect(filled.map(([name, list]) => [name, list.length])).toEqual([
      ["api_keys", 5],
      ["notification_settings", 2],
      ["organizations", 2],
      ["random", 1],
      ["world", 1],
    ]);
    empty.close();
  });

  test("seeded API keys are readable, but stored as hashes", () => {
    const byHash = new Map(rows<ApiKeyRow>("select * from api_keys").map((row) => [row.hash, row]));
    const find = (key: string) => byHash.get(createHash("sha256").update(key).digest("hex"))!;
    expect(SEEDED_KEYS).toEqual({
      write: "sk_sandbox_write",
      read: "sk_sandbox_read",
      expired: "sk_sandbox_expired",
      revoked: "sk_sandbox_revoked",
      other: "sk_sandbox_other",
    });
    const open = { expires_at: null, revoked_at: null };
    expect(find(SEEDED_KEYS.write)).toMatchObject({ org: MAIN_ORGANIZATION, permission: "write", ...open });
    expect(find(SEEDED_KEYS.read)).toMatchObject({ org: MAIN_ORGANIZATION, permission: "read", ...open });
    expect(find(SEEDED_KEYS.expired)).toMatchObject({ org: MAIN_ORGANIZATION, expires_at: NOW - 20 * DAY });
    expect(find(SEEDED_KEYS.revoked)).toMatchObject({ org: MAIN_ORGANIZATION, revoked_at: NOW - 12 * DAY });
    expect(find(SEEDED_KEYS.other)).toMatchObject({ org: OTHER_ORGANIZATION, permission: "write", ...open });
    for (const key of Object.values(SEEDED_KEYS)) expect(find(key).prefix).toBe(key.slice(0, 14));
  });

  test("each seeded organization's default token belongs to its default chain", () => {
    const organizations = rows<OrganizationRow>("select * from organizations order by position");
    expect(organizations.map(({ id }) => id)).toEqual([MAIN_ORGANIZATION, OTHER_ORGANIZATION]);
    for (const row of organizations) {
      const chain = CHAINS.find(({ id }) => id === row.default_chain_id)!;
      expect(chain.tokens.map(({ address }) => address)).toContain(row.default_token_address);
      expect(row.default_recipient_address).toMatch(/^0x[0-9a-f]{40}$/);
    }
  });
});
