import { describe, expect, test, vi } from "vitest";
import { readState } from "../../src/index.ts";
import { createSender } from "../../src/trial/check/send.ts";
import { remoteSubject } from "../../src/trial/subject/remote.ts";
import { resolveName } from "../support/names.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";

/**
 * Requests that Sandglass sends can reach only its own inboxes and no other part of it, whatever host name they use.
 */

const TOKEN = "a-token-that-the-tests-have-chosen";

async function startShared() {
  vi.stubEnv("SANDGLASS_TOKEN", TOKEN);
  const sandbox = await startSandbox({
    settleTimeout: "20s",
    share: true,
    host: "0.0.0.0",
    webhooks: { allowHttpHosts: ["0.0.0.0", "sandbox.test"] },
  });
  vi.unstubAllEnvs();
  return { ...sandbox, port: new URL(sandbox.url).port };
}

const NAMES = [
  "127.0.0.1",
  "localhost",
  "x.localhost",
  "a.b.localhost",
  "LOCALHOST",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "127.0.0.9",
];

/** These names also resolve to this machine, but the guard does not treat them as local. */
const OTHER_NAMES = ["0.0.0.0", "0", "sandbox.test"];

const CLOSED = [
  "/_sandbox/share/cookie",
  "/w/default/_sandbox/share/cookie",
  "/_sandbox/clock/resume",
  "/_sandbox/platform/webhooks",
  "/_sandbox/inbox/../share/cookie",
  "/_sandbox/inbox/%2e%2e/share/cookie",
  "//_sandbox/share/cookie",
  "/platform/api/v1/webhooks",
  "/game/launcher/channel-status",
  "/",
];

/** Registers an endpoint, sends it a test, and returns the result. */
async function deliverTo(
  { createWebhook, api, deliveries }: Awaited<ReturnType<typeof startShared>>,
  url: string,
) {
  const { id } = await createWebhook(url);
  await api("POST", `/webhooks/${id}/test`);
  const [delivery] = await deliveries(id);
  return delivery;
}

describe("deliveries to a sandbox", () => {
  test("a delivery can reach an inbox under every name of this machine, but carries no cookie and cannot call the control API", async () => {
    resolveName("sandbox.test", "127.0.0.1");
    const sandbox = await startShared();
    const expectNoCookie = async (url: string) => {
      const refused = await deliverTo(sandbox, url);
      expect(refused, url).toMatchObject({ response_code: 403, status: "failed" });
      expect(JSON.stringify(refused), url).not.toMatch(/set-cookie|sandglass_/i);
      return refused;
    };
    for (const name of NAMES) {
      const at = `http://${name}:${sandbox.port}`;
      const inbox = `${at}/_sandbox/inbox/shop`;
      expect(await deliverTo(sandbox, inbox), name).toMatchObject({ response_code: 200 });
      const refused = await expectNoCookie(`${at}/_sandbox/share/cookie`);
      expect(refused.response_body).toContain("can only reach its inboxes");
    }
    for (const name of OTHER_NAMES)
      await expectNoCookie(`http://${name}:${sandbox.port}/_sandbox/share/cookie`);
    for (const path of CLOSED) {
      const { response_code: status, response_headers: headers } = await deliverTo(
        sandbox,
        sandbox.url + path,
      );
      expect([403, 404], path).toContain(status);
      expect(headers, path).not.toHaveProperty("set-cookie");
    }
    expect((await sandbox.control("GET", "/clock")).body.mode).toBe("paused");
  });

  test("a delivery to another sandbox can reach only its inboxes", async () => {
    const [own, other] = await Promise.all([startShared(), startShared()]);
    expect(await deliverTo(own, `${other.url}/_sandbox/inbox/shop`)).toMatchObject({ response_code: 200 });
    expect(await deliverTo(own, `${other.url}/_sandbox/share/cookie`)).toMatchObject({ response_code: 403 });
  });

  test("a delivery does not follow a redirect to the sandbox", async () => {
    const sandbox = await startShared();
    const subscriber = await startSubscriber((_, response) => {
      response.writeHead(307, { location: `${sandbox.url}/_sandbox/clock/resume` }).end();
    });
    expect(await deliverTo(sandbox, subscriber.url)).toMatchObject({ error: "redirect", response_code: 307 });
    expect((await sandbox.control("GET", "/clock")).body.mode).toBe("paused");
  });

  test("a cookie that a subscriber sets is not stored", async () => {
    const sandbox = await startShared();
    const subscriber = await startSubscriber((_, response) => {
      response
        .writeHead(200, { "set-cookie": ["session=secret-1", "other=secret-2"], "x-own": "stored" })
        .end("ok");
    });
    const delivery = await deliverTo(sandbox, subscriber.url);
    expect(delivery.response_headers).toMatchObject({ "x-own": "stored" });
    expect(delivery.response_headers).not.toHaveProperty("set-cookie");
    expect((await sandbox.sandbox.snapshot()).toString("latin1")).not.toContain("secret-1");
  });
});

test("check and explore can reach only the inboxes of a sandbox", async () => {
  const { url, control } = await startShared();
  const sender = createSender(5_000);
  const to = `${url}/_sandbox/clock/resume`;
  const about = { what: "an event", subject: "", type: "ping", method: "POST" as const, url: to, body: null };
  const request = { ...about, makeHeaders: () => ({}) };
  expect(await sender.send(request)).toMatchObject({ status: 403 });
  sender.close();
  await expect(readState(`${url}/_sandbox/status`)).rejects.toMatchObject({ code: "unreachable" });
  await expect(readState(`${url}/_sandbox/inbox/shop`)).resolves.toBeDefined();
  const resetBy = `${url}/_sandbox/clock/resume`;
  const subject = remoteSubject({ url, stateUrl: null, resetBy, timeout: 5_000 });
  await expect(subject.state.reset()).rejects.toMatchObject({ code: "unreachable" });
  await subject.close();
  expect((await control("GET", "/clock")).body.mode).toBe("paused");
});
