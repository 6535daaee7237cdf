import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { SandglassConfig } from "../../src/library/config.ts";
import { SEEDED_KEYS } from "../../src/payments/seed/organizations.ts";
import { AREAS } from "../../src/sandbox/areas.ts";
import { operationsOf } from "../support/openapi.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { rawCall } from "../support/raw-http.ts";
import { startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

/**
 * Requests that a web page can make. Browsers send its origin, and the host name under which it reached this machine.
 */

const FOREIGN = [
  "https://evil.example",
  "http://evil.example",
  "http://127.0.0.1.evil.example",
  "http://localhost.evil.example:4400",
  "https://localhost@evil.example",
  "null",
  "file://",
  "chrome-extension://abcdef",
  "http://10.0.0.7:5173",
  "http://sandbox.test",
  "",
];

const KNOWN = [
  "http://localhost:5173",
  "https://localhost",
  "http://127.0.0.1:3000",
  "http://[::1]:3000",
  "http://shop.localhost",
];

/** Sends a request as a browser would, with the platform's key. */
async function sendTo(url: string, method: string, path: string, headers: Record<string, string>, body = "") {
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const key = { authorization: `Bearer ${SEEDED_KEYS.write}` };
  const answer = await rawCall(url, method, path, { ...key, ...length, ...headers }, body);
  return { ...answer, origin: answer.headers["access-control-allow-origin"] };
}

async function start(config: SandglassConfig = {}) {
  const sandbox = await startSandbox(config);
  const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    sendTo(sandbox.url, method, path, headers, body);
  return { ...sandbox, send };
}

describe("the payments platform and pages on other sites [fidelity: API › CORS]", () => {
  test("the platform rejects every call from another site's page before anything changes", async () => {
    const { send, call, sandbox, createLink } = await start();
    await createLink();
    const before = sandbox.journal.lastSeq();
    const calls = sandbox.requests.count();
    const document = (await call("GET", "/platform/openapi.json")).body;
    for (const { method, path } of operationsOf(document)) {
      const target = `/platform${path.replaceAll(/\{\w+\}/g, "x")}`;
      const { status, text, origin } = await send(method, target, { origin: FOREIGN[0]! });
      expect([status, JSON.parse(text).error.code, origin], `${method} ${path}`).toEqual([
        403,
        "insufficient_permissions",
        undefined,
      ]);
    }
    expect([sandbox.journal.lastSeq(), sandbox.requests.count()]).toEqual([before, calls]);
  });

  test("the platform rejects every kind of request that a page from any other origin can send", async () => {
    const { send, api, openSession, makeWorld } = await start();
    await makeWorld({ name: "other" });
    const { id } = await openSession();
    const body = JSON.stringify({ url: "http://127.0.0.1:9/webhooks" });
    const form = "application/x-www-form-urlencoded";
    for (const origin of FOREIGN)
      for (const world of ["", "/w/other"])
        for (const [method, path, type, text] of [
          ["POST", "/platform/api/v1/webhooks", "application/json", body],
          ["POST", "/platform/api/v1/webhooks", "text/plain", body],
          ["POST", "/platform/api/v1/payment-links/public/quick-pay", form, "amount=1"],
          ["POST", `/platform/checkout/${id}`, form, "outcome=expired"],
          ["GET", "/platform/api/v1/webhooks", "", ""],
          ["OPTIONS", "/platform/api/v1/webhooks", "", ""],
        ] as const) {
          const headers = { origin, "content-type": type, "access-control-request-method": "POST" };
          const answer = await send(method, world + path, headers, text);
          expect([answer.status, answer.origin], `${origin} ${method} ${world}${path}`).toEqual([
            403,
            undefined,
          ]);
        }
    expect((await api("GET", "/webhooks")).body.data).toEqual([]);
    expect((await api("GET", `/checkout-sessions/${id}`)).body.status).toBe("active");
  });

  test("the platform accepts calls from its own pages, pages on this machine and allowed origins", async () => {
    const allowed = "https://app.example";
    const publicUrl = "https://sandbox.example";
    const { send, url } = await start({ allowedOrigins: [allowed], publicUrl });
    for (const origin of [...KNOWN, url, publicUrl, allowed]) {
      const answer = await send("GET", "/platform/api/v1/payment-links", { origin });
      expect([answer.status, answer.origin], origin).toEqual([200, origin]);
    }
    const lan = { host: "192.168.1.20:4400", origin: "http://192.168.1.20:4400" };
    expect((await send("GET", "/platform/api/v1/payment-links", lan)).status).toBe(200);
  });

  test("the checkout accepts its own form, even behind a proxy that terminates TLS", async () => {
    const { send, openSession, url } = await start();
    const page = await openSession();
    const { text } = await send("GET", `/platform/checkout/${page.id}`, {});
    // With no-referrer, browsers would send the origin "null" when submitting a form.
    expect(text).toContain('<meta name="referrer" content="same-origin">');
    for (const headers of [
      { origin: url },
      { host: "sandbox.internal", origin: "https://sandbox.internal", "sec-fetch-site": "same-origin" },
    ]) {
      const { id } = await openSession();
      const type = { "content-type": "application/x-www-form-urlencoded" };
      const answer = await send(
        "POST",
        `/platform/checkout/${id}`,
        { ...headers, ...type },
        "outcome=expired",
      );
      expect(answer.status, answer.text).toBe(303);
    }
  });
});

test("any page can call chain data and the game launcher", async () => {
  const { send } = await start();
  for (const path of ["/data/insights/v1/tokens/lookup?symbol=USDC", "/game/activities"])
    for (const origin of FOREIGN)
      expect(await send("GET", path, { origin })).toMatchObject({ status: 200, origin: "*" });
});

describe("host names", () => {
  const WEBSITES = [
    "evil.example",
    "evil.example:4400",
    "EVIL.EXAMPLE.",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1.nip.io",
    "8453.evil.example",
    "sandbox.test.evil.example",
    "test.com",
    "printer.local",
  ];
  const LOCAL = [
    "localhost:4400",
    "LOCALHOST",
    "localhost.",
    "a.b.localhost",
    "8453.localhost:4400",
    "127.0.0.1:4400",
    "10.0.0.7",
    "192.168.1.20:4400",
    "0.0.0.0",
    "127.1",
    "2130706433",
    "[::1]:4400",
    "[fe80::1]",
    "sandglass",
    "sandglass:4400",
    "sandbox.test",
    "host.docker.internal:4400",
    "sandbox.example:443",
    "8453.sandbox.example",
    "listed.example",
  ];
  const PATHS = [
    "/platform/api/v1/payment-links",
    "/data/insights/v1/tokens/lookup?symbol=USDC",
    "/game/activities",
  ];
  const config = { publicUrl: "https://sandbox.example", allowedHosts: ["listed.example"] };

  const sandbox = sharedSandbox(config);

  test("a request whose host name could belong to a website reaches no area of any world", async () => {
    for (const host of WEBSITES)
      for (const world of ["", "/w/other"])
        for (const path of [...PATHS, ...AREAS.map(({ name }) => `/${name}/openapi.json`)]) {
          const { status, text } = await sendTo(sandbox.url, "GET", world + path, { host });
          expect(status, `${host} ${path}`).toBe(403);
          expect(text).toContain("list the name in allowedHosts");
        }
  });

  test("a request whose host name cannot belong to a website reaches every area", async () => {
    for (const host of LOCAL)
      for (const path of PATHS)
        expect((await sendTo(sandbox.url, "GET", path, { host })).status, `${host} ${path}`).toBe(200);
  });

  test("the host name is also checked on an area's own port and for a WebSocket", async () => {
    const port = await portOfItsOwn();
    const { url } = await startSandbox({ ports: { platform: port } });
    const own = `http://127.0.0.1:${port}`;
    const read = (headers: Record<string, string>) =>
      rawCall(own, "GET", "/api/v1/payment-links", { authorization: "Bearer sk_sandbox_write", ...headers });
    expect((await read({})).status).toBe(200);
    expect((await read({ host: "evil.example" })).status).toBe(403);
    expect((await read({ origin: "https://evil.example" })).status).toBe(403);
    expect((await read({ origin: own })).status).toBe(200);
    for (const headers of [{ host: "evil.example" }, { origin: "https://evil.example" }]) {
      const status = await new Promise((resolve) => {
        const socket = new WebSocket(`${url.replace("http", "ws")}/_sandbox/live`, { headers });
        onTestFinished(() => socket.terminate());
        socket.on("error", () => undefined);
        socket.on("unexpected-response", (_request, response) => resolve(response.statusCode));
      });
      expect(status).toBe(403);
    }
  });
});
