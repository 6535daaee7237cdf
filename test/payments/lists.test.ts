import { beforeAll, describe, expect, test } from "vitest";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { type SharedSandbox as Sandbox, sharedSandbox } from "../support/shared.ts";

type Item = Record<string, Json>;

/** Reads a list page by page, and checks each page's envelope. */
async function walk(sandbox: Sandbox, path: string, query: string, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await sandbox.api("GET", `${path}?${query}&page=${page}&limit=${limit}`);
    expect(Object.keys(body)).toEqual(["object", "data", "has_more", "total_count", "url"]);
    expect({ object: body.object, url: body.url }).toEqual({ object: "list", url: `/api/v1${path}` });
    items.push(...body.data);
    expect(body.has_more).toBe(items.length < body.total_count);
    if (!body.has_more) {
      expect(items).toHaveLength(body.total_count);
      return items;
    }
    expect(body.data).toHaveLength(limit);
  }
}

const compare = (a: Json, b: Json): number => {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
};

/** The order that the contract requires: by the field, then by id, both in the same direction. */
function sorted(items: Item[], sort: string, order: "asc" | "desc"): string[] {
  const key = (item: Item) => (sort === "name" ? item.name.toLowerCase() : item[sort]);
  const ascending = [...items].sort((a, b) => compare(key(a), key(b)) || compare(a.id, b.id));
  return (order === "asc" ? ascending : ascending.reverse()).map(({ id }) => id);
}

const LISTS: Record<string, string[]> = {
  "/payment-links": ["created_at", "updated_at", "name", "current_uses"],
  "/checkout-sessions": ["created_at", "updated_at", "expires_at"],
  "/transactions": ["created_at", "updated_at", "completed_at"],
  "/products": ["created_at", "updated_at"],
  "/discount-codes": ["created_at", "updated_at"],
  "/widgets": ["created_at", "updated_at"],
  "/webhooks": ["created_at", "updated_at"],
  "/api-keys": ["created_at", "updated_at"],
};

/** Creates several objects of every kind. Some have equal times, because the clock is paused. */
async function fillSandbox(sandbox: Sandbox) {
  const create = async (path: string, body: unknown) => {
    const answer = await sandbox.api("POST", path, { body });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const links: Item[] = [];
  const sessions: Item[] = [];
  for (const [index, name] of ["tea", "Tea", "Äpfel", "zebra", "Anise", "10 cups", "tea"].entries()) {
    links.push(await create("/payment-links", { name, amount: "100", chain_id: index % 2 ? 8453 : 1 }));
    await create("/products", { name, active: index % 3 > 0 });
    await create("/widgets", { name });
    await create("/webhooks", { url: `http://localhost:1/${index}`, events: ["payment.failed"] });
    await create("/api-keys", { name, permission: "read" });
    await create("/discount-codes", {
      code: `C${index}`,
      discount_type: "percentage",
      discount_value: 5,
      active: index % 2 > 0,
    });
    if (index % 2) await sandbox.advance("7m");
  }
  for (const [index, link] of links.entries()) {
    for (let count = 0; count < index % 3; count += 1) await sandbox.pay({ payment_link_id: link.id });
    sessions.push(await create("/checkout-sessions", { payment_link_id: link.id, expires_in: 300 + index }));
  }
  await sandbox.advance("1m");
  await sandbox.api("PATCH", `/payment-links/${links[2]!.id}`, { body: { active: false } });
  await sandbox.api("PATCH", `/payment-links/${links[4]!.id}`, { body: { active: false } });
  await sandbox.api("POST", `/checkout-sessions/${sessions[1]!.id}/expire`);
  await sandbox.pay({ session_id: sessions[0]!.id, outcome: "failed" });
  return { links, sessions };
}

describe("lists", () => {
  const sandbox = sharedSandbox();
  let filled: Awaited<ReturnType<typeof fillSandbox>>;
  beforeAll(async () => {
    filled = await fillSandbox(sandbox);
  });

  test("a list returns each item once, page by page, in each sort order [fidelity: Payments platform › Lists · API › Order of a list]", async () => {
    for (const [path, sorts] of Object.entries(LISTS)) {
      const all = await walk(sandbox, path, "", 100);
      expect(all.length, path).toBeGreaterThan(5);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      expect(new Set(all.map(({ object }) => object)).size, "one kind of object").toBe(1);
      expect(
        all.map(({ id }) => id),
        "newest first by default",
      ).toEqual(sorted(all, "created_at", "desc"));
      for (const sort of sorts) {
        for (const order of ["asc", "desc"] as const) {
          const walked = await walk(sandbox, path, `sort=${sort}&order=${order}`, 2);
          expect(
            walked.map(({ id }) => id),
            `${path} by ${sort} ${order}`,
          ).toEqual(sorted(all, sort, order));
        }
      }
      const past = (await sandbox.api("GET", `${path}?page=1000`)).body;
      expect(past).toMatchObject({ data: [], has_more: false, total_count: all.length });
      const others = await sandbox.api("GET", `${path}?limit=100`, { key: sandbox.keys.other });
      expect(others.body.total_count).toBe(path === "/api-keys" ? 1 : 0);
    }
  });

  test("lists can be filtered [fidelity: Payments platform › Payment links · Payments platform › Filters]", async () => {
    const { links, sessions } = filled;
    const list = async (path: string): Promise<Item[]> => {
      const { status, body } = await sandbox.api("GET", `${path}${path.includes("?") ? "&" : "?"}limit=100`);
      expect({ path, status, total: body.total_count }).toEqual({
        path,
        status: 200,
        total: body.data.length,
      });
      return body.data;
    };
    for (const path of ["/payment-links", "/products", "/discount-codes"]) {
      const all = await list(path);
      for (const active of [true, false]) {
        const filtered = await list(`${path}?active=${active}`);
        expect(filtered, path).toEqual(all.filter((item) => item.active === active));
        expect(filtered.length, path).toBeGreaterThan(0);
      }
    }

    const names = async (search: string) =>
      (await list(`/payment-links?search=${encodeURIComponent(search)}&order=asc`)).map(({ name }) => name);
    expect((await names("TEA")).sort()).toEqual(["Tea", "tea", "tea"]);
    expect(await names("ea")).toEqual(expect.arrayContaining(["Tea", "tea"]));
    expect(await names("äPF")).toEqual(["Äpfel"]);
    expect(await names("0 c")).toEqual(["10 cups"]);
    expect(await names(links[3]!.short_code)).toContain("zebra");
    expect(await names(links[3]!.short_code.slice(1, 5).toUpperCase())).toContain("zebra");
    expect(await names(links[3]!.id)).toEqual([]);
    expect(await list("/payment-links?search=tea&active=false")).toEqual([]);
    expect((await list("/payment-links?search=apfel")).length).toBe(0);

    const everySession = await list("/checkout-sessions");
    for (const status of ["active", "completed", "expired"]) {
      const wanted = everySession.filter((item) => item.status === status);
      expect(wanted.length).toBeGreaterThan(0);
      expect(await list(`/checkout-sessions?status=${status}`)).toEqual(wanted);
    }
    const link = links[2]!.id;
    const ofLink = everySession.filter((item) => item.payment_link_id === link);
    expect(ofLink.map(({ status }) => status).sort()).toEqual(["active", "completed", "completed"]);
    expect(await list(`/checkout-sessions?payment_link_id=${link}`)).toEqual(ofLink);
    expect(await list(`/payment-links/${link}/sessions`)).toEqual(ofLink);
    expect(await list(`/payment-links/${link}/sessions?status=active`)).toEqual(
      ofLink.filter(({ status }) => status === "active"),
    );
    const ofOne = (await sandbox.api("GET", `/payment-links/${link}/sessions`)).body;
    expect(ofOne.url).toBe(`/api/v1/payment-links/${link}/sessions`);

    const payments = await list("/transactions");
    for (const [query, wanted] of [
      ["status=completed", (item: Item) => item.status === "completed"],
      ["status=failed", (item: Item) => item.status === "failed"],
      ["chain_id=8453", (item: Item) => item.chain_id === 8453],
      ["chain_id=1&status=completed", (item: Item) => item.chain_id === 1 && item.status === "completed"],
      [`payment_link_id=${link}`, (item: Item) => item.payment_link_id === link],
      [`session_id=${sessions[0]!.id}`, (item: Item) => item.session_id === sessions[0]!.id],
    ] as const) {
      const filtered = payments.filter(wanted);
      expect(filtered.length, query).toBeGreaterThan(0);
      expect(await list(`/transactions?${query}`), query).toEqual(filtered);
    }
  });

  test("lists have 20 items per page by default and no gaps between pages, and are separate for each organization [fidelity: Payments platform › Lists]", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const seen = new Set<string>();
    for (const key of [sandbox.keys.write, sandbox.keys.other]) {
      let total = 0;
      for (let page = 1, more = true; more; page += 1) {
        const { body } = await sandbox.api("GET", `/transactions?limit=100&sort=completed_at&page=${page}`, {
          key,
        });
        for (const { id } of body.data) seen.add(id);
        total = body.total_count;
        more = body.has_more;
        if (!more) expect(page).toBe(Math.ceil(total / 100));
      }
      expect(total).toBeGreaterThan(20);
    }
    const { counts } = (await sandbox.control("GET", "/status")).body;
    expect(seen.size).toBe(counts.transactions);
    const first = (await sandbox.api("GET", "/transactions")).body;
    expect({ items: first.data.length, more: first.has_more }).toEqual({ items: 20, more: true });
    const search = (await sandbox.api("GET", "/payment-links?search=INVOICE&limit=100")).body;
    expect(search.total_count).toBeGreaterThan(2);
    for (const { name } of search.data) expect(name).toMatch(/invoice/i);
  });
});

test("total_count of deliveries is correct after each delivery, both for all events and for one [fidelity: Payments platform › Lists]", async () => {
  const sandbox = await startSandbox();
  const webhook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  const link = await sandbox.createLink();
  const count = async (query = "") =>
    (await sandbox.api("GET", `/webhooks/${webhook.id}/deliveries?${query}`)).body.total_count;
  const counts = async () => [
    await count(),
    await count("event=payment.completed"),
    await count("event=payment.failed"),
  ];
  expect(await counts()).toEqual([0, 0, 0]);
  const pay = async (body: object) => {
    await sandbox.pay({ payment_link_id: link.id, ...body });
    await sandbox.advance("1s");
  };
  await pay({});
  expect(await counts()).toEqual([2, 1, 0]);
  await sandbox.control("POST", "/snapshots", { name: "one" });
  await pay({ outcome: "failed" });
  expect(await counts()).toEqual([3, 1, 1]);
  await sandbox.control("POST", "/snapshots/one/restore");
  expect(await counts()).toEqual([2, 1, 0]);
});
