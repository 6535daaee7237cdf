import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { listenByEvents, listenBySocket } from "../support/live.ts";
import { startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startHeldSubscriber, startShop } from "../support/webhooks.ts";

describe("parallel worlds", () => {
  test("each world has its own data, time, faults, journal and rate limit", async () => {
    const sandbox = await startSandbox({ payments: { rateLimit: 3 } });
    const other = await sandbox.makeWorld({ name: "other", startAt: "2030-01-01T00:00:00Z" });
    const link = await other.createLink({ name: "Only here" });
    await other.advance("1h");
    await other.control("PUT", "/faults/data", { status: 503 });

    expect((await sandbox.api("GET", `/payment-links/${link.id}`)).status).toBe(404);
    expect((await other.control("GET", "/clock")).body.now).toBe("2030-01-01T01:00:00.000Z");
    expect((await sandbox.control("GET", "/clock")).body.now).toBe("2026-01-15T09:00:00.000Z");
    expect((await sandbox.call("GET", "/data/insights/v1/tokens/lookup?symbol=USDC")).status).toBe(200);
    expect(await sandbox.journal("payment_link.*")).toEqual([]);
    expect(await other.journal("payment_link.*")).toHaveLength(1);
    for (let left = 2; left >= 0; left -= 1) {
      const { headers } = await other.api("GET", "/payment-links");
      expect(headers.get("x-ratelimit-remaining")).toBe(String(left));
    }
    expect((await sandbox.api("GET", "/payment-links")).status).toBe(200);
  });

  test("each world has its own keys, so a key that is revoked in one world still works in the others", async () => {
    const sandbox = await startSandbox();
    const worlds = await Promise.all(["a", "b"].map((name) => sandbox.makeWorld({ name })));
    const made = await Promise.all(
      worlds.map((world) => world.api("POST", "/api-keys", { body: { name: "CI", permission: "read" } })),
    );
    // Both worlds have the same seed, so the key is identical in both.
    const [{ id, key }] = made.map(({ body }) => body) as [{ id: string; key: string }];
    expect(made[1]!.body.key).toBe(key);
    const [a, b] = worlds as [(typeof worlds)[0], (typeof worlds)[0]];
    expect((await a.api("DELETE", `/api-keys/${id}`)).status).toBe(200);
    const uses = [a, b, sandbox].map(
      async (world) => (await world.api("GET", "/payment-links", { key })).status,
    );
    expect(await Promise.all(uses)).toEqual([401, 200, 401]);
    expect((await b.api("GET", `/api-keys/${id}`)).body.status).toBe("active");
  });

  test("a world serves its payments API, inboxes and checkout below its prefix", async () => {
    const sandbox = await startSandbox();
    const world = await sandbox.makeWorld({ name: "prefix" });
    await world.createWebhook(`${world.url}/_sandbox/inbox/mine`);
    const link = await world.createLink();
    await world.pay({ payment_link_id: link.id });
    expect((await world.control("GET", "/inbox/mine")).body.data).toHaveLength(2);
    expect((await sandbox.control("GET", "/inbox")).body.data).toEqual([]);
    expect((await fetch(link.url)).status).toBe(200);
    expect((await world.control("GET", "/status")).body.bases).toEqual({
      platform: `${sandbox.url}/w/prefix/platform`,
      data: `${sandbox.url}/w/prefix/data`,
      game: `${sandbox.url}/w/prefix/game`,
    });
  });

  test("a world serves its own chain data and game launcher below its prefix", async () => {
    const sandbox = await startSandbox();
    const world = await sandbox.makeWorld({ name: "prefix" });
    expect((await world.call("GET", "/data/insights/v1/tokens/lookup?symbol=USDC")).status).toBe(200);
    const cached = async (one: Pick<typeof world, "control">) =>
      (await one.control("GET", "/data/cache")).body.data.length;
    expect(await Promise.all([cached(world), cached(sandbox)])).toEqual([1, 0]);

    const { token, player } = (
      await world.control("POST", "/game/tokens", { address: `0x${"7".repeat(40)}` })
    ).body;
    const heartbeat = async (one: Pick<typeof world, "call">) =>
      (await one.call("POST", "/game/launcher/channel-heartbeat", { body: { launcherJwt: token } })).status;
    expect(await Promise.all([heartbeat(world), heartbeat(sandbox)])).toEqual([200, 401]);
    const players = async (one: Pick<typeof world, "control">) =>
      (await one.control("GET", "/game/players")).body.data.map(
        ({ username }: { username: string }) => username,
      );
    expect(await players(world)).toContain(player.username);
    expect((await players(world)).length - (await players(sandbox)).length).toBe(1);
  });

  test("a world serves its live stream, requests, page and references below its prefix", async () => {
    const sandbox = await startSandbox();
    const world = await sandbox.makeWorld({ name: "prefix" });
    const heard = [await listenBySocket(world.url), await listenByEvents(world.url)];
    const elsewhere = await listenBySocket(sandbox.url);
    await sandbox.createLink({ name: "Default" });
    const link = await world.createLink({ name: "Prefix" });
    for (const listener of heard) {
      const [entry] = await listener.heard(1);
      expect(entry).toMatchObject({ type: "payment_link.created" });
      expect(JSON.stringify(entry!.data)).toContain(link.id);
    }
    expect(await elsewhere.heard(1)).toHaveLength(1);
    const { data } = (await world.control("GET", "/requests")).body;
    expect(data).toMatchObject([{ path: "/platform/api/v1/payment-links" }]);
    expect(data[0].curl).toContain(`${world.url}/platform/api/v1/payment-links`);

    expect((await world.call("GET", "/")).text).toMatch(/^<!doctype html>/i);
    for (const area of ["platform", "data", "game", "_sandbox"]) {
      const { status, text } = await world.call("GET", `/${area}/reference`);
      expect({ area, status, linked: text.includes(`/w/prefix/${area}/openapi.json`) }).toEqual({
        area,
        status: 200,
        linked: true,
      });
      const { servers } = (await world.call("GET", `/${area}/openapi.json`)).body;
      expect(servers[0].url).toContain("/w/prefix/");
    }
  });

  test("a deleted world no longer exists, and its name is free again", async () => {
    const sandbox = await startSandbox();
    const world = await sandbox.makeWorld({ name: "short" });
    await world.createLink();
    expect((await sandbox.control("DELETE", "/worlds/short")).body).toEqual({ name: "short", deleted: true });
    expect((await world.control("GET", "/status")).status).toBe(404);
    const again = await sandbox.makeWorld({ name: "short" });
    expect((await again.api("GET", "/payment-links")).body.total_count).toBe(0);
  });

  test("an idle world is deleted, and its listeners are disconnected", async () => {
    const sandbox = await startSandbox({ worlds: { idle: "1s" } });
    await sandbox.makeWorld({ name: "idle" });
    const socket = new WebSocket(`${sandbox.url.replace("http", "ws")}/w/idle/_sandbox/live`);
    await new Promise((resolve) => socket.on("close", resolve));
    const { data } = (await sandbox.control("GET", "/worlds")).body;
    expect(data.map((world: { name: string }) => world.name)).toEqual(["default"]);
  });
});

describe("forks of a world", () => {
  test("forks made at the second retry can differ: one recovers, and one disables the endpoint", async () => {
    const subscriber = await startSubscriber();
    subscriber.answer = 500;
    const sandbox = await startSandbox({ webhooks: { disableAfter: { consecutive: 4 } } });
    const webhook = await sandbox.createWebhook(subscriber.url, { events: ["payment.completed"] });
    const link = await sandbox.createLink();
    await sandbox.pay({ payment_link_id: link.id });
    await sandbox.advance("1m");

    const failing = await sandbox.makeWorld({ name: "failing", from: "default" });
    const ahead = await failing.timeline(webhook.id);
    expect(ahead).toEqual(await sandbox.timeline(webhook.id));
    expect(ahead).toMatchObject({
      planned: [{ attempt: 3, due_at: "2026-01-15T09:11:00.000Z" }],
      forecast: { disabled_at: "2026-01-15T10:11:00.000Z" },
    });
    await failing.advance("3h");
    subscriber.answer = 200;
    await sandbox.advance("3h");

    const attempts = async (world: Pick<typeof failing, "deliveries">) =>
      (await world.deliveries(webhook.id)).map(({ status, created_at }) => [
        status,
        created_at.slice(11, 19),
      ]);
    const shared = [
      ["failed", "09:00:00"],
      ["failed", "09:01:00"],
    ];
    expect(await attempts(failing)).toEqual([...shared, ["failed", "09:11:00"], ["failed", "10:11:00"]]);
    expect(await attempts(sandbox)).toEqual([...shared, ["success", "09:11:00"]]);
    expect((await failing.webhook(webhook.id)).status).toBe("disabled");
    expect((await sandbox.webhook(webhook.id)).status).toBe("enabled");
    expect(await failing.mail()).toHaveLength(1);
    expect(await sandbox.mail()).toEqual([]);

    expect(await failing.timeline(webhook.id)).toMatchObject({
      status: "disabled",
      counter: { consecutive_failures: 4, threshold: 4 },
      planned: [],
      forecast: { attempts: [], disabled_at: null },
      changes: [{ type: "created" }, { type: "disabled", at: "2026-01-15T10:11:00.000Z" }, { type: "mail" }],
    });
    expect(await sandbox.timeline(webhook.id)).toMatchObject({
      status: "enabled",
      counter: { consecutive_failures: 0, threshold: 4 },
      planned: [],
      changes: [{ type: "created" }],
    });
  });

  test("worlds created from one snapshot return the same ids and times for the same calls", async () => {
    const sandbox = await startSandbox();
    await sandbox.createLink({ name: "Before" });
    await sandbox.control("POST", "/snapshots", { name: "start" });
    const branches = await Promise.all(
      ["one", "two"].map((name) => sandbox.makeWorld({ name, from: "start" })),
    );
    const told = await Promise.all(
      branches.map(async (world) => {
        const link = await world.createLink({ name: "After" });
        const { transaction } = await world.pay({ payment_link_id: link.id });
        return [link.id, transaction.id, transaction.created_at];
      }),
    );
    expect(told[0]).toEqual(told[1]);
  });
});

test("a new world has the requested clock, and a rate without a mode makes the clock scaled", async () => {
  const sandbox = await startSandbox({ clock: { mode: "live" } });
  const made = async (name: string, world: Record<string, unknown>) => {
    const { body } = await (await sandbox.makeWorld({ name, ...world })).control("GET", "/clock");
    return { mode: body.mode, rate: body.rate };
  };
  expect(await made("as-configured", {})).toEqual({ mode: "live", rate: 1 });
  expect(await made("faster", { clock: { rate: 60 } })).toEqual({ mode: "scaled", rate: 60 });
  expect(await made("still", { clock: { mode: "paused" } })).toEqual({ mode: "paused", rate: 1 });
  expect(await made("fork", { from: "faster" })).toEqual({ mode: "scaled", rate: 60 });
  expect(await made("slower", { from: "faster", clock: { rate: 2 } })).toEqual({ mode: "scaled", rate: 2 });
});

describe("invalid worlds", () => {
  const sandbox = sharedSandbox();

  test.each([
    ["a name with a slash", { name: "a/b" }, 400, /not a valid world name/],
    ["a name of 300 characters", { name: "x".repeat(300) }, 400, /not a valid world name/],
    ["a name that starts with a dot", { name: ".." }, 400, /not a valid world name/],
    ["a taken name", { name: "default" }, 409, /already/],
    ["an unknown origin", { name: "a", from: "nothing" }, 404, /no world, snapshot, scenario/],
    ["a seed and an origin", { name: "a", from: "default", seed: "x" }, 400, /not both/],
    ["an unreadable time", { name: "a", startAt: "soon" }, 400, /soon/],
    ["a rate out of range", { name: "a", clock: { mode: "scaled", rate: 0 } }, 400, /rate/],
    [
      "a live clock with a rate",
      { name: "a", clock: { mode: "live", rate: 60 } },
      400,
      /always has rate 1, not 60/,
    ],
    ["an empty name", { name: "" }, 400, /not a valid world name/],
    ["a name with non-ASCII letters", { name: "Träume" }, 400, /not a valid world name/],
    ["a name with a control character", { name: "a\u0000b" }, 400, /not a valid world name/],
    ["a name that leads out of the folder", { name: "../../etc/x" }, 400, /not a valid world name/],
    [
      "an origin with slashes",
      { name: "a", from: "../../etc/passwd" },
      403,
      /not in the folder where Sandglass was started/,
    ],
    [
      "an origin of 300 characters",
      { name: "a", from: "x".repeat(300) },
      404,
      /no world, snapshot, scenario/,
    ],
    ["an empty origin", { name: "a", from: "" }, 404, /no world, snapshot, scenario/],
    ["an unknown field", { nmae: "a" }, 400, /nmae/],
  ])("POST /worlds gives a hint when it rejects %s", async (_what, body, status, message) => {
    const answer = await sandbox.control("POST", "/worlds", body);
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toMatch(message);
    expect(answer.body.error.hint).not.toBe("");
    expect((await sandbox.control("GET", "/worlds")).body.data).toHaveLength(1);
  });

  test("every path of an unknown world returns 404, and the default world cannot be deleted", async () => {
    for (const path of [
      "/w/none/_sandbox/status",
      "/w/none/platform/api/v1/events",
      "/w/none/data/x",
      "/w/none/",
    ])
      expect((await sandbox.call("GET", path)).status).toBe(404);
    for (const name of ["none", "a%2Fb", "..%2F..%2Fx", "%00", "%", "Tr%C3%A4ume", "x".repeat(300)]) {
      const { status, body } = await sandbox.call("GET", `/w/${name}/_sandbox/status`);
      expect({ name, status: [400, 404].includes(status) }).toEqual({ name, status: true });
      expect(body.error.hint).not.toBe("");
      expect([400, 404]).toContain((await sandbox.control("DELETE", `/worlds/${name}`)).status);
    }
    expect((await sandbox.control("DELETE", "/worlds/default")).status).toBe(409);
  });
});

describe("requests while their server closes", () => {
  test("a queued request is rejected when its server closes, and nothing is logged", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => log.mockRestore());
    const subscriber = await startHeldSubscriber();
    // The payment must still be waiting when the server is closed, and the server takes this long to close.
    const sandbox = await startSandbox({ settleTimeout: "2s" });
    const shop = await startShop(sandbox, subscriber.url);
    await sandbox.control("POST", "/snapshots", { name: "before" });
    const bytes = await sandbox.served.worlds.snapshots.bytesOf("before");
    const { sandbox: world } = sandbox;
    // There is a payment whose delivery is still open, an advance that waits for it, and several calls that wait for
    // the advance.
    const paid = world.payments.pay({ payment_link_id: shop.link.id });
    await subscriber.arrived(1);
    const waiting = [
      world.clock.advance({ by: "1h" }),
      world.restore(bytes, "before"),
      world.reset(),
      world.snapshot(),
      world.clock.set({ now: Date.UTC(2027, 0, 1) }),
    ];
    const ended = Promise.allSettled([paid, ...waiting]);
    await sandbox.close();
    for (const result of await ended)
      expect(result).toMatchObject({
        status: "rejected",
        reason: expect.objectContaining({
          code: "invalid_state",
          message: "The sandbox was closed in the meantime.",
        }),
      });
    expect(log).not.toHaveBeenCalled();
  });

  test("a request in progress ends when its server closes, and nothing is logged", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => log.mockRestore());
    const subscriber = await startHeldSubscriber();
    const sandbox = await startSandbox({ settleTimeout: "2s" });
    const shop = await startShop(sandbox, subscriber.url);
    await sandbox.control("POST", "/snapshots", { name: "before" });
    const calls = [
      sandbox.control("POST", "/payments", { payment_link_id: shop.link.id }),
      shop.test(),
      sandbox.control("POST", "/clock/advance", { by: "1h" }),
      sandbox.control("POST", "/snapshots/before/restore"),
      sandbox.control("POST", "/reset"),
    ];
    const ended = Promise.allSettled(calls);
    await subscriber.arrived(1);
    await sandbox.close();
    await ended;
    expect(log.mock.calls).toEqual([]);
  });
});

describe("unknown worlds", () => {
  const sandbox = sharedSandbox();
  beforeAll(() => sandbox.control("POST", "/worlds", { name: "other" }));
  const paths = ["/w/nosuch/", "/w/nosuch", "/w/nosuch/platform/reference"];

  test.each(paths)("a browser gets a 404 page for an unknown world: %s", async (path) => {
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const answer = await sandbox.call("GET", path, { headers: { accept } });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(answer.text).toMatch(/There is no world <bdi[^>]*>nosuch</);
    expect(answer.text).toContain('<a href="/">default</a>');
    expect(answer.text).toContain('<a href="/w/other/">other</a>');
  });

  test.each(paths)("an API client gets a JSON 404 for an unknown world: %s", async (path) => {
    for (const accept of ["*/*", "application/json", "application/json, text/html, */*"]) {
      const { status, body } = await sandbox.call("GET", path, { headers: { accept } });
      expect({ status, code: body.error.code }, accept).toEqual({ status: 404, code: "not_found" });
    }
  });

  test("the checkout of an unknown world returns a 404 page", async () => {
    const answer = await sandbox.call("GET", "/w/nosuch/platform/pay/aB3dE6");
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.text).toContain("There is no world");
  });

  test("the page about an unknown world escapes its name", async () => {
    const answer = await sandbox.call("GET", "/w/%3Cimg%20src=x%3E/", { headers: { accept: "text/html" } });
    expect(answer.text).toContain("&lt;img src=x&gt;");
    expect(answer.text).not.toContain("<img");
  });
});
