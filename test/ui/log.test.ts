import { signal } from "@preact/signals";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Webhook } from "../../ui/api-types.ts";
import { createLive } from "../../ui/live.ts";
import { createJournal } from "../../ui/models/journal.ts";
import { Log, type LogRow, merged, oncePerAttempt } from "../../ui/models/log.ts";
import { createLostEndpoints, whyLost } from "../../ui/models/lost.ts";
import { createRouter } from "../../ui/models/router.ts";
import { entry } from "./support/entries.ts";
import { fakeSockets } from "./support/socket.ts";

const call = (id: number, over: object = {}) => ({
  ...{ id, area: "data", method: "GET", path: "/data/tokens", status: 200, duration_ms: 1, curl: "" },
  ...{ at: "2026-01-15T09:00:00.000Z", wall: `2026-11-21T10:00:00.${id}00Z`, error: null },
  ...over,
});

/** A log at a page address, with the given data on the server. */
async function openLog(hash: string) {
  vi.useFakeTimers();
  const { open, last } = fakeSockets();
  const live = createLive({ open, newest: async () => undefined });
  const place = {
    location: { hash },
    history: {
      replaceState(_data: unknown, _title: string, url: string) {
        place.location.hash = url;
      },
    },
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
  const calls = [call(1), call(2, { area: "platform", path: "/platform/api/v1/products", status: 403 })];
  const audited = {
    ...{ id: "evt_1", event_type: "webhook.created", resource_id: "wh_1", status_code: 201 },
    created_at: "2026-01-01T00:00:00.000Z",
  };
  const api = {
    calls: async ({ after }: { after: number }) => calls.filter(({ id }) => id > after),
    audit: async () => ({ data: [audited], total: 12 }),
    events: async () => [],
  };
  const journal = createJournal(live);
  const log = new Log({ api: api as never, live, journal, router: createRouter(place) });
  onTestFinished(() => {
    log[Symbol.dispose]();
    live.close();
    vi.useRealTimers();
  });
  live.start();
  await vi.advanceTimersByTimeAsync(0);
  last().open();
  last().say(
    entry(1, { type: "player.joined", wall: "2026-11-21T10:00:00.050Z" }),
    entry(2, { type: "mail.sent", wall: "2026-11-21T10:00:00.150Z" }),
    entry(3, { type: "inbox.received", data: { inbox: "shop" }, wall: "2026-11-21T10:00:00.250Z" }),
  );
  await vi.advanceTimersByTimeAsync(50);
  return {
    ...{ log, place },
    shown: () => log.rows.value.map(({ kind, id }) => `${kind} ${id}`),
  };
}

test.each([
  ["#/log", ["entry 3", "call 2", "entry 2", "call 1", "entry 1"]],
  ["#/log?kind=journal", ["entry 3", "entry 2", "entry 1"]],
  ["#/log?kind=calls", ["call 2", "call 1"]],
  ["#/log?kind=mail", ["entry 2"]],
  ["#/log?kind=inboxes", ["entry 3"]],
  ["#/log?kind=audit", ["audit evt_1"]],
  ["#/log?search=403%20products", ["call 2"]],
  ["#/log?search=SHOP&kind=nonsense", ["entry 3"]],
])("the page's address filters the log: %s", async (hash, rows) => {
  expect((await openLog(hash)).shown()).toEqual(rows);
});

test("a log filter changes the address, and leaves other filters alone", async () => {
  const { log, place } = await openLog("#/log?search=a");
  log.field("kind").value = "calls";
  expect(place.location.hash).toBe("#/log?kind=calls&search=a");
  log.field("search").value = "";
  expect(place.location.hash).toBe("#/log?kind=calls");
});

test("the log merges all lists, newest first", () => {
  const rows = fc
    .array(fc.record({ at: fc.nat(5), wall: fc.nat(5) }), { maxLength: 12 })
    .map((list) => list.sort((a, b) => a.at - b.at || a.wall - b.wall) as LogRow[]);
  fc.assert(
    fc.property(rows, rows, (a, b) => {
      const all = merged(a, b);
      expect(new Set(all)).toEqual(new Set([...a, ...b]));
      const order = all.map(({ at, wall }) => at * 10 + wall);
      expect(order).toEqual(order.toSorted((one, other) => other - one));
    }),
  );
});

test("the log shows one entry per attempt: its start, which is later replaced by its result", () => {
  const of = (seq: number, type: string, id: string) => entry(seq, { type, data: { id } });
  const entries = [
    of(1, "delivery.started", "del_1"),
    of(2, "delivery.started", "del_2"),
    of(3, "delivery.failed", "del_1"),
  ];
  expect(oncePerAttempt(entries).map(({ seq }) => seq)).toEqual([2, 3]);
});

test("the page can re-register a deleted endpoint with its secret until the user leaves the page", () => {
  const hook = {
    ...{
      id: "wh_1",
      url: "http://localhost:3000/webhooks",
      events: ["payment.completed"],
      sender: "platform",
    },
    ...{ description: null, secret: "whsec" },
  } as unknown as Webhook;
  const kept = new Map<string, string>();
  const keep = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
  };
  const own = signal([hook]);
  const { find, close } = createLostEndpoints(keep, own);
  own.value = [];
  expect(find("wh_1")).toMatchObject({ url: hook.url, secret: "whsec" });
  close();
  const lost = createLostEndpoints(keep, signal([]));
  expect(lost.find("wh_1")).toEqual({ url: hook.url, events: hook.events, sender: "platform" });
  expect([...kept.values()].join()).not.toContain("whsec");
  expect(lost.find("wh_2")).toBeUndefined();
});

test.each([
  [[entry(1, { type: "webhook.deleted", data: { id: "wh_1" } })], true, /^This endpoint was deleted/],
  [[entry(1, { type: "world.reset" })], true, /^The world was reset or restored/],
  [[], true, /^The sandbox was restarted without a data folder.*--data-dir/],
  [[], false, /^There is no endpoint wh_1 in this world/],
])("the page says why an endpoint no longer exists: %#", (since, seen, why) => {
  expect(whyLost("wh_1", since, seen)).toMatch(why);
});
