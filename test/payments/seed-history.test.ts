import { describe, expect, test } from "vitest";
import CHAINS from "../../fixtures/payments/chains.json" with { type: "json" };
import { discountOn } from "../../src/payments/discount-value.ts";
import { MAIN_ORGANIZATION } from "../../src/payments/seed/organizations.ts";
import { HOUR } from "../../src/world/duration.ts";
import { startSandbox } from "../support/sandbox.ts";
import { NOW, seededWorld } from "./seed-world.ts";

const { world, rows, count, links, sessions, transactions } = seededWorld();

test("a seeded world that starts in 1970 has history before 1970", async () => {
  const early = await startSandbox({ seed: "sandglass", startAt: "1970-01-01T00:00:00Z" });
  const { data } = (await early.api("GET", "/transactions?limit=100&sort=created_at&order=asc")).body;
  expect(data).toHaveLength(100);
  expect(data[0].created_at).toMatch(/^1969-12-/);
});

describe("seeded payment links", () => {
  test("seeded payment links have unique codes and the terms of a known token", () => {
    const list = links();
    expect(new Set(list.map(({ short_code }) => short_code)).size).toBe(list.length);
    expect(new Set(list.map(({ org, name }) => `${org} ${name}`)).size).toBe(list.length);
    const products = new Set(rows<{ id: string }>("select id from products").map(({ id }) => id));
    for (const row of list) {
      expect(row.short_code).toMatch(/^[0-9A-Za-z]{6}$/);
      expect(row.name_folded).toBe(row.name.toLowerCase());
      expect(row.amount ?? "1").toMatch(/^[1-9]\d{0,77}$/);
      const chain = CHAINS.find(({ id }) => id === row.chain_id);
      expect(chain?.tokens.map(({ address }) => address)).toContain(row.token_address);
      if (row.product_id !== null) expect(products).toContain(row.product_id);
      if (row.max_uses !== null) expect(row.current_uses).toBeLessThanOrEqual(row.max_uses);
    }
  });

  test("seeded payment links include several in every state", () => {
    for (const condition of [
      "active = 1",
      "active = 0",
      "max_uses is not null and current_uses < max_uses",
      "current_uses = max_uses",
      `expires_at < ${NOW}`,
      `expires_at > ${NOW}`,
      "product_id is not null",
      "amount is null",
    ])
      expect(count(`payment_links where org = ? and ${condition}`, MAIN_ORGANIZATION)).toBeGreaterThan(1);
  });

  test("seeded payment links count one use for each completed session, and all their sessions date from when they were open", () => {
    const opened = sessions();
    for (const row of links()) {
      const own = opened.filter(({ payment_link_id: id }) => id === row.id);
      expect(row.current_uses).toBe(own.filter(({ status }) => status === "completed").length);
      for (const session of own) {
        expect(session.created_at).toBeGreaterThan(row.created_at);
        expect(session.created_at).toBeLessThan(row.expires_at ?? Number.POSITIVE_INFINITY);
        expect(session).toMatchObject({
          org: row.org,
          token_address: row.token_address,
          chain_id: row.chain_id,
        });
        if (row.amount !== null) expect(session.amount).toBe(row.amount);
        if (session.completed_at !== null) {
          expect(row.updated_at).toBeGreaterThanOrEqual(session.completed_at);
        }
      }
    }
  });
});

describe("seeded checkout sessions", () => {
  test("seeded checkout sessions have times that match their status", () => {
    for (const row of sessions()) {
      expect(row.expires_at).toBeGreaterThan(row.created_at);
      if (row.status === "completed") {
        expect(row.expired_at).toBeNull();
        expect(row.completed_at).toBeGreaterThan(row.created_at);
        expect(row.completed_at).toBeLessThan(row.expires_at);
        expect(row.updated_at).toBe(row.completed_at);
      } else if (row.status === "expired") {
        expect(row).toMatchObject({ completed_at: null, transaction_id: null, discount_code: null });
        expect(row.expired_at).toBeLessThanOrEqual(row.expires_at);
        expect(row.expired_at).toBeGreaterThan(row.created_at);
      } else {
        expect(row).toMatchObject({ completed_at: null, expired_at: null, transaction_id: null });
      }
    }
  });

  test("each completed seeded session has exactly one completed transaction, and vice versa", () => {
    const completed = transactions().filter(({ status }) => status === "completed");
    const bySession = new Map(completed.map((row) => [row.session_id, row]));
    expect(bySession.size).toBe(completed.length);
    const done = sessions().filter(({ status }) => status === "completed");
    expect(done.length).toBe(completed.length);
    for (const row of done) {
      expect(bySession.get(row.id)).toMatchObject({
        id: row.transaction_id,
        org: row.org,
        payment_link_id: row.payment_link_id,
        token_address: row.token_address,
        chain_id: row.chain_id,
        recipient_address: row.recipient_address,
        completed_at: row.completed_at,
        discount_code: row.discount_code,
      });
    }
  });

  test("the seed has twelve active sessions, all opened in the last six hours and each with a timer", () => {
    const active = sessions().filter(({ status }) => status === "active");
    expect(active.length).toBe(12);
    for (const row of active) {
      expect(row.org).toBe(MAIN_ORGANIZATION);
      expect(NOW - row.created_at).toBeLessThan(6 * HOUR);
      expect(row.expires_at - NOW).toBeGreaterThanOrEqual(18 * HOUR);
      expect(row.expires_at - NOW).toBeLessThanOrEqual(24 * HOUR);
      expect(world.timers.get("payments.session_expiry", row.id)).toMatchObject({
        due: row.expires_at,
        payload: {},
      });
    }
  });

  test("seeded checkout sessions contain references and metadata like an integrator's", () => {
    expect(
      count("checkout_sessions where metadata like '%order_id%' and client_reference_id is not null"),
    ).toBeGreaterThan(200);
    expect(count("checkout_sessions where client_reference_id is null and metadata = '{}'")).toBeGreaterThan(
      30,
    );
    expect(count("checkout_sessions where payment_link_id is null")).toBeGreaterThan(20);
  });
});

describe("seeded transactions", () => {
  test("seeded transactions have consistent statuses, reasons and times", () => {
    const byStatus = new Map<string, number>();
    for (const row of transactions()) {
      byStatus.set(row.status, (byStatus.get(row.status) ?? 0) + 1);
      expect(row.failure_reason === null).toBe(row.status !== "failed");
      expect(row.failed_at === null).toBe(row.status !== "failed");
      expect(row.completed_at === null).toBe(row.status !== "completed");
      expect(row.form_data).toMatch(
        /^\{"email":"[^"]+@example\.(?:com|net|org)","shipping_address":\{"line1":"[^"]+","city":"[^"]+","state":"[A-Z]{2}","zip":"\d{5}"\}\}$/,
      );
      expect(row.sender_address).toMatch(/^0x[0-9a-f]{40}$/);
      expect(row.sender_address).not.toMatch(/(?:dead|0bad|beef)$/);
      expect(row.amount).toMatch(/^[1-9]\d*$/);
    }
    expect(byStatus.get("completed")).toBeGreaterThan(200);
    expect(byStatus.get("pending")).toBeGreaterThanOrEqual(3);
    expect(byStatus.get("confirming")).toBeGreaterThanOrEqual(3);
    const reasons = rows<{ reason: string }>(
      "select distinct failure_reason as reason from transactions where status = 'failed' and org = ? order by 1",
      MAIN_ORGANIZATION,
    );
    expect(reasons.map(({ reason }) => reason)).toEqual([
      "insufficient_funds",
      "rejected",
      "reverted",
      "timed_out",
    ]);
  });

  test("seeded transactions have unique hashes and span at least five chains", () => {
    const list = transactions();
    for (const { tx_hash } of list) expect(tx_hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(new Set(list.map(({ tx_hash }) => tx_hash)).size).toBe(list.length);
    expect(new Set(list.map(({ chain_id }) => chain_id)).size).toBeGreaterThanOrEqual(5);
  });

  test("seeded transactions apply their discount codes correctly, and codes count their uses", () => {
    const codes = rows<{
      org: string;
      code: string;
      discount_type: "percentage" | "fixed";
      discount_value: string;
      max_uses: number | null;
      current_uses: number;
      expires_at: number | null;
      payment_link_id: string | null;
      created_at: number;
    }>("select * from discount_codes");
    const byId = new Map(sessions().map((row) => [row.id, row]));
    const list = transactions();
    for (const code of codes) {
      const uses = list.filter((row) => row.org === code.org && row.discount_code === code.code);
      expect(uses.filter(({ status }) => status === "completed").length).toBe(code.current_uses);
      expect(code.max_uses ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(
        Math.max(1, code.current_uses),
      );
      for (const row of uses) {
        const full = BigInt(byId.get(row.session_id!)!.amount!);
        const discount = discountOn(full, code.discount_type, code.discount_value);
        expect(BigInt(row.amount)).toBe(full - discount);
        expect(discount > 0n).toBe(true);
        expect(row.created_at).toBeGreaterThan(code.created_at);
        expect(row.updated_at).toBeLessThan(code.expires_at ?? Number.POSITIVE_INFINITY);
        if (code.payment_link_id !== null) expect(row.payment_link_id).toBe(code.payment_link_id);
      }
      expect(code.discount_value).toMatch(
        code.discount_type === "fixed" ? /^[1-9]\d*$/ : /^\d{1,2}(?:\.\d+)?$/,
      );
    }
    expect(list.filter((row) => row.discount_code !== null).length).toBeGreaterThan(20);
    const undiscounted = list.filter((row) => row.discount_code === null);
    for (const row of undiscounted) expect(row.amount).toBe(byId.get(row.session_id!)!.amount);
  });

  test("seeded discount codes include every state, and one code that both organizations use", () => {
    for (const condition of [
      `expires_at < ${NOW}`,
      "current_uses = max_uses",
      "payment_link_id is not null",
      "active = 0",
    ]) {
      expect(count(`discount_codes where org = ? and ${condition}`, MAIN_ORGANIZATION)).toBeGreaterThan(0);
    }
    const shared = rows("select code from discount_codes group by code having count(distinct org) = 2");
    expect(shared.length).toBe(1);
  });
});
