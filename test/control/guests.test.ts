import { describe, expect, test, vi } from "vitest";
import type { SandglassConfig } from "../../src/library/config.ts";
import { createDispatcher } from "../../src/webhooks/dispatcher.ts";
import { folderOf } from "../support/cli.ts";
import { resolveName } from "../support/names.ts";
import { rawCall } from "../support/raw-http.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

/**
 * A guest is a caller on another machine that has not presented the token. Here, its requests come through a proxy on
 * this machine that forwards the Host header; in test/control/network.test.ts, the guest has its own address.
 */

const TOKEN = "a-token-that-the-tests-have-chosen";
/** A name that resolves to this machine. Endpoints may use it only because the configuration allows it. */
const LISTED = "service.test";

async function startFor(config: SandglassConfig = {}) {
  vi.stubEnv("SANDGLASS_TOKEN", TOKEN);
  resolveName(LISTED, "127.0.0.1");
  const sandbox = await startSandbox({
    settleTimeout: "20s",
    share: true,
    host: "127.0.0.1",
    webhooks: { allowHttpHosts: [LISTED] },
    ...config,
  });
  vi.unstubAllEnvs();
  const call = async (
    method: string,
    path: string,
    body: object = {},
    headers: Record<string, string> = {},
  ) => {
    const text = JSON.stringify(body);
    const answer = await rawCall(
      sandbox.url,
      method,
      `/platform/api/v1${path}`,
      {
        host: "sandbox.test",
        authorization: `Bearer ${sandbox.keys.write}`,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(text)),
        ...headers,
      },
      text,
    );
    return { status: answer.status, body: JSON.parse(answer.text) as Json };
  };
  const holder = { "x-sandbox-token": TOKEN };
  return { ...sandbox, guest: call, holder };
}

const SERVICES = [
  "http://127.0.0.1:PORT/admin",
  "http://localhost:PORT/admin",
  "http://x.localhost:PORT/admin",
  "http://127.1:PORT/admin",
  "http://2130706433:PORT/admin",
  "http://[::1]:PORT/admin",
  "https://127.0.0.1:PORT/admin",
  "https://localhost:PORT/admin",
];

describe("guests of a shared sandbox", () => {
  test("a guest cannot make the sandbox call a service on this machine, no matter how its address is spelled", async () => {
    const { guest, createWebhook } = await startFor();
    const service = await startSubscriber();
    const own = await createWebhook("http://127.0.0.1:9/webhooks");
    const inbox = await guest("POST", "/webhooks", { url: "https://example.com/webhooks" });
    for (const text of SERVICES) {
      const url = text.replace("PORT", new URL(service.url).port);
      const refused = await guest("POST", "/webhooks", { url });
      expect([refused.status, refused.body.error.code, refused.body.error.param], url).toEqual([
        400,
        "invalid_field_value",
        "url",
      ]);
      expect(refused.body.error.message, url).toContain("without the token in X-Sandbox-Token");
      for (const id of [own.id, inbox.body.id])
        expect((await guest("PATCH", `/webhooks/${id}`, { url })).status, url).toBe(400);
    }
    expect(service.received).toEqual([]);
  });

  test("a guest can register an inbox under each address of the sandbox", async () => {
    const sandbox = await startFor({ publicUrl: "https://sandbox.example" });
    for (const at of [sandbox.url, "https://sandbox.example"]) {
      const { body } = await sandbox.guest("POST", "/webhooks", { url: `${at}/_sandbox/inbox/shop` });
      const sent = await sandbox.guest("POST", `/webhooks/${body.id}/test`);
      expect(sent.body).toMatchObject({ success: true });
    }
  });

  test("a guest can send to an endpoint that its owner registered, without changing its URL", async () => {
    const sandbox = await startFor();
    const subscriber = await startSubscriber();
    const { id } = await sandbox.createWebhook(subscriber.url);
    expect((await sandbox.guest("POST", `/webhooks/${id}/test`)).body).toMatchObject({ success: true });
    expect(
      (await sandbox.guest("PATCH", `/webhooks/${id}`, { description: "mine", url: subscriber.url })).status,
    ).toBe(200);
    expect((await sandbox.guest("POST", `/webhooks/${id}/test`)).body).toMatchObject({ success: true });
  });

  test("a listed host that resolves to this machine is called for the owner's endpoints but not for a guest's", async () => {
    const dataDir = folderOf({});
    const first = await startFor({ dataDir });
    const service = await startSubscriber();
    const url = `http://${LISTED}:${new URL(service.url).port}/admin`;
    const { body } = await first.guest("POST", "/webhooks", { url });
    const deliver = async ({ api, deliveries }: typeof first) => {
      await api("POST", `/webhooks/${body.id}/test`);
      return (await deliveries(body.id)).at(-1);
    };
    const blocked = { error: "blocked_by_network_policy", response_code: null };
    expect(await deliver(first)).toMatchObject(blocked);
    const snapshot = await first.sandbox.snapshot();
    await first.sandbox.restore(snapshot, "before");
    expect(await deliver(first)).toMatchObject(blocked);
    await first.close();
    const second = await startFor({ dataDir });
    expect(await deliver(second)).toMatchObject(blocked);
    expect(service.received).toEqual([]);
    await second.control("POST", "/webhooks", { url });
    expect(await deliver(second)).toMatchObject({ error: null, response_code: 200 });
  });

  test("a guest with the token has the same rights as the owner", async () => {
    const { guest, holder } = await startFor();
    const service = await startSubscriber();
    const { body } = await guest("POST", "/webhooks", { url: service.url }, holder);
    expect((await guest("POST", `/webhooks/${body.id}/test`)).body).toMatchObject({ success: true });
    const taken = await guest("PATCH", `/webhooks/${body.id}`, { url: `${service.url}/other` });
    expect(taken.status).toBe(400);
  });

  test("a remote caller of an unshared sandbox can reach listed hosts but no loopback address", async () => {
    const { guest } = await startFor({ share: false });
    const service = await startSubscriber();
    expect((await guest("POST", "/webhooks", { url: service.url })).status).toBe(400);
    const url = `http://${LISTED}:${new URL(service.url).port}/webhooks`;
    const { body } = await guest("POST", "/webhooks", { url });
    expect((await guest("POST", `/webhooks/${body.id}/test`)).body).toMatchObject({ success: true });
  });

  test("allowExternal does not extend what a guest can reach", async () => {
    const { guest, deliveries } = await startFor({ webhooks: { allowExternal: true } });
    expect((await guest("POST", "/webhooks", { url: "https://192.0.2.7/webhooks" })).status).toBe(400);
    const { body } = await guest("POST", "/webhooks", { url: `https://${LISTED}:9/webhooks` });
    await guest("POST", `/webhooks/${body.id}/test`);
    expect(await deliveries(body.id)).toMatchObject([{ error: "blocked_by_network_policy" }]);
  });
});

test("an endpoint registered by a guest can reach only the guest's own address", async () => {
  const service = await startSubscriber();
  const { port } = new URL(service.url);
  const dispatcher = createDispatcher();
  const send = (onlyTo: string) =>
    dispatcher.send({
      lane: onlyTo,
      origin: `http://localhost:${port}`,
      path: "/",
      headers: {},
      body: "",
      onlyTo,
      timeout: () => 5_000,
    }).result;
  expect(await send("127.0.0.1")).toMatchObject({ error: null, responseCode: 200 });
  expect(await send("10.9.9.9")).toMatchObject({ error: "blocked_by_network_policy", responseCode: null });
  expect(service.received).toHaveLength(1);
  dispatcher.close();
});
