import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/index.ts";
import { serveCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { startRawSubscriber } from "../support/raw-subscriber.ts";
import { clientOf, type Json, startSandbox } from "../support/sandbox.ts";
import { SELF_SIGNED } from "../support/self-signed.ts";
import { startSubscriber } from "../support/subscriber.ts";
import {
  followJournal,
  seconds,
  startHangingSubscriber,
  startHeldSubscriber,
  startShop,
} from "../support/webhooks.ts";

/** Covers the rows of docs/fidelity.md about deliveries, time and data that no other test file covers completely. */

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

describe("deliveries", () => {
  test.each([
    ["allowExternal", { allowExternal: true }, "https://shop.invalid/hook"],
    ["a listed host", { allowHttpHosts: ["shop.invalid"] }, "http://shop.invalid/hook"],
  ])(
    "%s lets Sandglass connect to another machine [fidelity: Webhooks › Network]",
    async (_name, webhooks, url) => {
      const sandbox = await startSandbox({ webhooks });
      const shop = await startShop(sandbox, url);
      await shop.pay();
      const [delivery] = await sandbox.deliveries(shop.webhook.id);
      expect(delivery).toMatchObject({ status: "failed", error: "dns" });
    },
  );

  test("interim responses are ignored, including an unsolicited 100 Continue [fidelity: Deliveries › Interim answers]", async () => {
    const sandbox = await startSandbox();
    const refusal = "HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n";
    for (const [reply, expected] of [
      [`HTTP/1.1 102 Processing\r\n\r\n${OK}`, { status: "success", response_code: 200 }],
      [`HTTP/1.1 103 Early Hints\r\n\r\n${OK}`, { status: "success", response_code: 200 }],
      [`HTTP/1.1 103 Early Hints\r\n\r\n${refusal}`, { status: "failed", response_code: 500 }],
      [`HTTP/1.1 100 Continue\r\n\r\n${OK}`, { status: "success", response_code: 200 }],
      ["HTTP/1.1 101 Switching Protocols\r\n\r\n", { status: "failed", error: "invalid_response" }],
    ] as const) {
      const shop = await startShop(sandbox, (await startRawSubscriber(reply, { tls: false })).url);
      await shop.pay();
      expect((await sandbox.deliveries(shop.webhook.id))[0], reply).toMatchObject(expected);
      await shop.remove();
    }
  });

  test("at most 64 requests to one endpoint are open at once [fidelity: Deliveries › Parallel requests]", async () => {
    const sandbox = await startSandbox({ webhooks: { disableAfter: { consecutive: 1_000 } } });
    const subscriber = await startHeldSubscriber();
    const shop = await startShop(sandbox, subscriber.url);
    await shop.fault({ kind: "status", status: 500, times: 70 });
    await shop.pay(70);
    const advancing = sandbox.advance("60s");
    await subscriber.arrived(64);
    expect((await shop.timeline()).attempts).toHaveLength(140);
    for (let answered = 0; answered < 70; answered += 1) {
      await subscriber.arrived(answered + 1);
      expect(subscriber.open.length).toBeLessThanOrEqual(64 + answered);
      subscriber.open[answered]!.answer(200);
    }
    await advancing;
    expect(subscriber.open).toHaveLength(70);
    const statuses = (await shop.timeline()).attempts.slice(70).map(({ status }: Json) => status);
    expect(new Set(statuses)).toEqual(new Set(["success"]));
  });

  test("a queued request gets its full timeout after it is sent [fidelity: Deliveries › Parallel requests]", async () => {
    // This timeout is much longer than the last request takes, even on a busy machine.
    const sandbox = await startSandbox({
      settleTimeout: "4s",
      webhooks: { disableAfter: { consecutive: 1_000 } },
    });
    const subscriber = await startSubscriber((_received, response) => {
      if (subscriber.received.length > 64) response.writeHead(200).end();
    });
    const shop = await startShop(sandbox, subscriber.url);
    await shop.fault({ kind: "status", status: 500, times: 65 });
    await shop.pay(65);
    expect((await sandbox.control("POST", "/deliveries/retry", { since: "1h" })).body.retried).toBe(65);
    const statuses = (await shop.timeline()).attempts.slice(65).map(({ status }: Json) => status);
    expect(statuses).toEqual([...Array(64).fill("pending"), "success"]);
  });

  test("a self-signed certificate is trusted if NODE_EXTRA_CA_CERTS names it [fidelity: Deliveries › Certificates]", async () => {
    const subscriber = await startRawSubscriber(OK, { tls: true });
    const file = join(folderOf({ "ca.pem": SELF_SIGNED.cert }), "ca.pem");
    const errors: (string | null)[] = [];
    for (const env of [{}, { NODE_EXTRA_CA_CERTS: file }]) {
      const { url } = await serveCli(["--paused", "--seed", "empty"], { env: env as Record<string, string> });
      const sandbox = clientOf(url);
      const hook = await sandbox.createWebhook(subscriber.url.replace("127.0.0.1", "localhost"));
      await sandbox.api("POST", `/webhooks/${hook.id}/test`);
      const [delivery] = await sandbox.deliveries(hook.id);
      errors.push(delivery.error);
    }
    expect(errors).toEqual(["tls", null]);
  });
});

describe("time", () => {
  test('the clock starts at a fixed time, or at the current time with startAt "now" [fidelity: Time › Start]', async () => {
    const fixed = await createSandbox({ port: false, seed: "empty", clock: { mode: "paused" } });
    const now = await createSandbox({
      port: false,
      seed: "empty",
      clock: { mode: "paused" },
      startAt: "now",
    });
    onTestFinished(async () => {
      await fixed.close();
      await now.close();
    });
    expect(await fixed.clock.now()).toBe("2026-01-15T09:00:00.000Z");
    const begun = Date.parse(await now.clock.now());
    // The machine's clock may be adjusted while the test runs.
    expect(Math.abs(begun - Date.now())).toBeLessThan(60_000);
    for (const [world, at] of [
      [fixed, "2026-01-15T09:00:00.000Z"],
      [now, new Date(begun).toISOString()],
    ] as const) {
      await world.webhooks.create(world.inbox("shop").url);
      const link = await world.payments.createLink({ name: "Tea", amount: "1" });
      await world.payments.pay(link.id);
      const [message] = await world.inbox("shop").messages();
      expect(message!.headers["X-Platform-Timestamp".toLowerCase()]).toBe(at);
    }
  });

  test("a delivery on a live clock that gets no response in time fails without an advance [fidelity: Time › Real requests · Webhooks › Complete answer]", async () => {
    const sandbox = await startSandbox({
      clock: { mode: "live" },
      webhooks: { timeout: "200ms" },
      settleTimeout: "20s",
    });
    const shop = await startShop(sandbox, (await startHangingSubscriber()).url);
    const journal = await followJournal(sandbox);
    const paying = shop.pay();
    await journal.until("delivery.failed");
    await paying;
    const [attempt] = (await shop.timeline()).attempts;
    expect(attempt).toMatchObject({ status: "failed", error: "timeout", duration_ms: 200 });
    expect(seconds(attempt.ended_at) - seconds(attempt.started_at)).toBeCloseTo(0.2, 3);
  });

  test("a request on a scaled clock gets its full real time, and retries that become due in the meantime follow [fidelity: Time › Scaled clock]", async () => {
    const sandbox = await startSandbox({
      clock: { mode: "scaled", rate: 10_000 },
      webhooks: { timeout: "200ms" },
      settleTimeout: "20s",
    });
    const shop = await startShop(sandbox, (await startHangingSubscriber()).url);
    const journal = await followJournal(sandbox);
    const paying = shop.pay();
    await journal.until("delivery.started", 2);
    const [first, second] = (await shop.timeline()).attempts;
    expect(first).toMatchObject({ status: "failed", error: "timeout" });
    expect(seconds(first.ended_at) - seconds(first.started_at)).toBeCloseTo(0.2, 3);
    // 200 real milliseconds are 2000 virtual seconds, so the retry has long been due: it was scheduled for 60 s.
    expect(seconds(second.started_at) - seconds(first.started_at)).toBeGreaterThan(1_000);
    await paying;
  });

  test("a running clock with a data folder keeps counting while the process is down [fidelity: Time › Restart]", async () => {
    for (const mode of ["scaled", "paused"] as const) {
      const config = {
        dataDir: folderOf(),
        clock: { mode, ...(mode === "scaled" ? { rate: 1_000_000 } : {}) },
      };
      const before = await startSandbox(config);
      const session = await before.openSession({ expires_in: 86_400 });
      await before.close();
      const after = await startSandbox(config);
      const read = async () => (await after.api("GET", `/checkout-sessions/${session.id}`)).body;
      if (mode === "paused") {
        expect((await after.control("GET", "/clock")).body.now).toBe("2026-01-15T09:00:00.000Z");
        expect((await read()).status).toBe("active");
      } else await expect.poll(async () => (await read()).status).toBe("expired");
    }
  });
});

describe("data", () => {
  test("a sandbox starts from scratch without a data folder, and resumes with one [fidelity: Data › In memory · Data › On disk · Data › Never on disk]", async () => {
    for (const dataDir of [undefined, folderOf()]) {
      const config = { payments: { rateLimit: 9 }, ...(dataDir === undefined ? {} : { dataDir }) };
      const before = await startSandbox(config);
      const link = await before.createLink();
      await before.close();
      const after = await startSandbox(config);
      expect((await after.control("GET", "/requests")).body.data).toEqual([]);
      const answer = await after.api("GET", `/payment-links/${link.id}`);
      expect(answer.status).toBe(dataDir === undefined ? 404 : 200);
      expect(answer.headers.get("x-ratelimit-remaining"), "the first call of a window").toBe("8");
      if (dataDir === undefined) continue;
      const { store } = after.sandbox.world;
      expect(store.sql("pragma journal_mode").get()).toEqual({ journal_mode: "wal" });
      expect(store.sql("pragma synchronous").get()).toEqual({ synchronous: 1 });
    }
  });
});
