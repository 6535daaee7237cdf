import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { checkSubscriber } from "../../src/trial/check/check.ts";
import { readOptions } from "../../src/trial/check/options.ts";
import { remoteSubject } from "../../src/trial/subject/remote.ts";
import type { Json } from "../../src/trial/subject/state.ts";
import { folderOf } from "../support/cli.ts";
import { SECRET, startReceiver } from "./support/start.ts";
import { verdictsOf } from "./support/try.ts";

const ACME = `name: acme
events:
  order.paid: { body: { id: evt_1, type: order.paid, order: ord_1, user: "7" } }
  order.sent: { body: { id: evt_2, type: order.sent, order: ord_1, user: "7" } }
type: body.type
id: body.id
about: [body.order, body.user]
signature: { header: "Acme-Signature: {signature}" }
retries: { delays: [1m, 5m] }
`;

interface Event {
  id: string;
  type: string;
  order: string;
  user: string;
}

async function startAcme(take: (event: Event) => number, state: () => Json = () => ({})) {
  const started = await startReceiver(async (request, response) => {
    if (request.url === "/state") return void response.end(JSON.stringify(state()));
    const end = (status: number) => void response.writeHead(status).end();
    if (request.method !== "POST") return end(405);
    const body = Buffer.concat(await request.toArray()).toString();
    const right = createHmac("sha256", SECRET).update(body).digest("hex");
    if (request.headers["acme-signature"] !== right) return end(401);
    let event: Event | null;
    try {
      event = JSON.parse(body);
    } catch {
      return end(400);
    }
    return end(event?.id === undefined ? 400 : take(event));
  });
  const sender = join(folderOf(), "acme.yaml");
  writeFileSync(sender, ACME);
  return { ...started, sender };
}

describe("the objects in the events that check sends", () => {
  test("check preserves the values in --events, and uses a new object only for other-events", async () => {
    const seen: Event[] = [];
    const { url, sender } = await startAcme((event) => {
      seen.push(event);
      return /^\d{1,9}$/.test(event.user) ? 200 : 500;
    });
    const events = join(folderOf(), "events.yaml");
    writeFileSync(events, '- { type: order.paid, data: { user: "1" } }\n- order.sent\n');
    const report = await check({ subscriber: url, sender, events, secret: SECRET });
    expect(verdictsOf(report).fail ?? []).toEqual([]);
    const ofType = (type: string) => seen.filter((event) => event.type === type);
    expect(new Set(ofType("order.paid").map(({ user }) => user))).toEqual(new Set(["1"]));
    const orders = new Set(seen.map(({ order }) => order));
    expect(orders.size).toBe(2);
    expect(orders).toContain("ord_1");
  });

  test.each([
    // When order.paid arrives late, it marks the order as paid, whatever came before.
    ["the first event type", "order.paid", { unknown: ["reordered-events"] }],
    ["a later event type", "order.sent", {}],
  ])(
    "check restores the state before each hazard for a handler that updates known rows only for %s",
    async (_which, acted, verdicts) => {
      let orders: Record<string, string> = {};
      const reset = () => {
        orders = { ord_0: "pending", ord_1: "pending" };
      };
      reset();
      const started = await startAcme(
        ({ order, type }) => {
          if (type === acted && order in orders) orders[order] = "done";
          return 200;
        },
        () => ({ orders }),
      );
      const { url, sender } = started;
      const subject = remoteSubject({
        ...{ url, timeout: 10_000, resetBy: reset, stateUrl: async () => structuredClone({ orders }) },
      });
      // Functions have no URLs, so set these: check uses them to see whether there are a state and a reset.
      const watched = { ...subject, state: { ...subject.state, source: "orders", resetBy: "orders" } };
      const plan = await readOptions({ url, sender, secret: SECRET }, Date.UTC(2026, 5, 1));
      const report = await checkSubscriber({ ...plan, subject: watched });
      expect(verdictsOf(report)).toEqual(verdicts);
    },
  );

  test.each([
    ["accepts any order", () => true, {}],
    ["knows only the order in the example", (order: string) => order === "ord_1", { warn: ["other-events"] }],
  ])(
    "check reports no failure for a handler that rejects a second event about the same order and %s",
    async (_which, isThere, verdicts) => {
      let paid: Record<string, string> = {};
      const started = await startAcme(
        ({ id, order, type }) => {
          if (type !== "order.paid" || paid[order] === id) return 200;
          if (!isThere(order)) return 404;
          if (paid[order] !== undefined) return 409;
          paid[order] = id;
          return 200;
        },
        () => ({ paid }),
      );
      const { url, sender } = started;
      const reset = () => {
        paid = {};
      };
      const subject = remoteSubject({
        ...{ url, timeout: 10_000, resetBy: reset, stateUrl: async () => structuredClone({ paid }) },
      });
      const watched = { ...subject, state: { ...subject.state, source: "paid", resetBy: "paid" } };
      const plan = await readOptions({ url, sender, secret: SECRET }, Date.UTC(2026, 5, 1));
      const report = await checkSubscriber({ ...plan, subject: watched });
      const { unknown: _, ...rest } = verdictsOf(report);
      expect(rest).toEqual(verdicts);
    },
  );

  test("check creates a new object for each event if the handler accepts only one event per object", async () => {
    const handled = new Set<string>();
    const { url, stateUrl, sender } = await startAcme(
      ({ order }) => {
        handled.add(order);
        return 200;
      },
      () => ({ handled: handled.size }),
    );
    const report = await check({
      subscriber: url,
      sender,
      state: stateUrl,
      secret: SECRET,
      only: ["unicode"],
    });
    expect(verdictsOf(report)).toEqual({});
    expect(handled.size).toBeGreaterThan(2);
  });

  test("check warns if a handler rejects new objects but accepts the known one", async () => {
    const { url, sender } = await startAcme(({ order }) => (order === "ord_1" ? 200 : 500));
    const report = await check({
      subscriber: url,
      sender,
      secret: SECRET,
      only: ["other-events", "unicode"],
    });
    expect(verdictsOf(report)).toEqual({ warn: ["other-events"] });
    expect(report.hazards.at(1)!.summary).toBe(
      "It returned 500 to order.paid and order.sent about a new object, but accepted the same events about the known one.",
    );
  });
});
