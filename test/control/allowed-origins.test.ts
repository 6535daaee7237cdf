import { describe, expect, test, vi } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { expectRefusal } from "../support/control-errors.ts";
import { operationsOf } from "../support/openapi.ts";
import { rawCall } from "../support/raw-http.ts";
import { startSandbox } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const APP = "http://localhost:5173";
const PREFLIGHT = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "content-type",
};

const sandbox = sharedSandbox({ allowedOrigins: [APP, "https://app.example"] });

const NOT_ALLOWED = [
  "http://localhost",
  "http://localhost:5174",
  "https://localhost:5173",
  "http://127.0.0.1:5173",
  "http://localhost:5173.evil.example",
  "http://evil.example",
  "http://app.localhost:5173",
  "null",
  "*",
];

describe("pages from an allowed origin [fidelity: API › CORS]", () => {
  test("a page from an allowed origin can call every operation of the control API after a preflight", async () => {
    const document = (await sandbox.call("GET", "/_sandbox/openapi.json")).body;
    for (const { path, method } of operationsOf(document)) {
      const target = `/_sandbox${path.replaceAll(/\{\w+\}/g, "nobody")}`;
      const { status, headers } = await sandbox.call("OPTIONS", target, {
        headers: { ...PREFLIGHT, "access-control-request-method": method, origin: APP },
      });
      expect(status, target).toBe(204);
      expect(headers.get("access-control-allow-origin")).toBe(APP);
      expect(headers.get("access-control-allow-headers")).toBe("content-type");
      expect(headers.get("access-control-allow-methods")!.split(", ")).toContain(method);
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(headers.get("vary")).toContain("Origin");
    }
    for (const origin of [APP, "https://app.example"]) {
      const answer = await sandbox.call("POST", "/_sandbox/game/tokens", { body: {}, headers: { origin } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    }
  });

  test("a page from an allowed origin can read an error response", async () => {
    const answer = await sandbox.call("POST", "/_sandbox/payments", { body: {}, headers: { origin: APP } });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("access-control-allow-origin")).toBe(APP);
  });

  test("a page from an allowed origin can use the dashboard's platform calls", async () => {
    const path = "/_sandbox/platform/webhooks";
    expect((await sandbox.call("OPTIONS", path, { headers: { ...PREFLIGHT, origin: APP } })).status).toBe(
      204,
    );
    expect((await sandbox.call("GET", path, { headers: { origin: APP } })).status).toBe(200);
  });
});

test("a page from any other origin cannot call the API, and without allowedOrigins no page can", async () => {
  const plain = await startSandbox();
  for (const origin of NOT_ALLOWED) {
    const preflight = await sandbox.call("OPTIONS", "/_sandbox/reset", {
      headers: { ...PREFLIGHT, origin },
    });
    expect(preflight.status).toBe(403);
    for (const path of ["/_sandbox/status", "/_sandbox/platform/webhooks", "/"]) {
      const answer = await sandbox.call("GET", path, { headers: { origin } });
      expectRefusal(answer, 403, "forbidden", `${origin} ${path}`);
      if (path === "/_sandbox/status") expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
  }
  const answer = await plain.call("GET", "/_sandbox/status", { headers: { origin: APP } });
  expectRefusal(answer, 403, "forbidden");
  expect(answer.body.error.hint).toContain("allowedOrigins");
});

test("a same-site or cross-site request without an Origin header is rejected", async () => {
  for (const site of ["same-site", "cross-site"])
    expect((await rawCall(sandbox.url, "GET", "/_sandbox/status", { "sec-fetch-site": site })).status).toBe(
      403,
    );
});

test("a page from an allowed origin needs the token of a shared sandbox, and the cookie alone is not enough", async () => {
  const token = "a-token-that-the-tests-have-chosen";
  vi.stubEnv("SANDGLASS_TOKEN", token);
  const { url } = await startSandbox({ allowedOrigins: [APP], share: true, host: "127.0.0.1" });
  vi.unstubAllEnvs();
  const call = (method: string, headers: Record<string, string>) =>
    rawCall(url, method, "/_sandbox/share/cookie", { host: "sandbox.test", ...headers });
  const { headers } = await call("POST", { "x-sandbox-token": token });
  const [set] = headers["set-cookie"] as string[];
  const cookie = set!.split(";")[0]!;
  expect((await call("POST", { cookie })).status).toBe(200);
  expect((await call("OPTIONS", { ...PREFLIGHT, origin: APP })).status).toBe(204);
  expect((await call("POST", { origin: APP, cookie })).status).toBe(403);
  expect((await call("POST", { origin: APP, "x-sandbox-token": token })).status).toBe(200);
});

test.each([
  "*",
  "null",
  "localhost:5173",
  "http://localhost:5173/",
  "http://localhost:5173/app",
  "http://localhost:80",
  "http://*.example.com",
  "HTTP://localhost:5173",
  "file:///tmp",
])("allowedOrigins rejects %s", (origin) => {
  expect(() => resolveConfig({ allowedOrigins: [origin] }, 0)).toThrow(
    /allowedOrigins\[0\] must be the origin of a page, such as http:\/\/localhost:5173, without a path/,
  );
});
