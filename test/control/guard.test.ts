import { describe, expect, test } from "vitest";
import { expectRefusal } from "../support/control-errors.ts";
import { operationsOf } from "../support/openapi.ts";
import { answerTo } from "../support/raw-http.ts";
import { sharedSandbox } from "../support/shared.ts";

/**
 * Only this machine's own programs and pages may use the control API. Any other caller gets an error that explains why.
 */

const sandbox = sharedSandbox({ allowedHosts: ["sandbox.internal"] });

const call = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  answerTo(sandbox.url, method, path, headers, body);

/** Every operation of the control API, with its path parameters filled in. */
async function operations(): Promise<[method: string, path: string][]> {
  const document = (await sandbox.call("GET", "/_sandbox/openapi.json")).body;
  return operationsOf(document).map(({ method, path }) => [
    method,
    `/_sandbox${path.replace("{area}", "platform").replaceAll(/\{\w+\}/g, "nobody")}`,
  ]);
}

describe("the guard of the control API", () => {
  test("the control API rejects foreign host names on every call [fidelity: Data › Control API]", async () => {
    const port = new URL(sandbox.url).port;
    const foreign = [
      "evil.example",
      `evil.example:${port}`,
      "10.0.0.1",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "0.0.0.0",
      "[::2]",
    ];
    for (const [method, path] of await operations()) {
      const answer = await call(method, path, { host: "evil.example" });
      expectRefusal(answer, 403, "forbidden", `${method} ${path}`);
    }
    for (const host of foreign)
      expectRefusal(await call("GET", "/_sandbox/status", { host }), 403, "forbidden", host);
    for (const host of [
      "localhost",
      `LOCALHOST:${port}`,
      "api.localhost",
      "127.0.0.9",
      "[::1]:1",
      "sandbox.internal",
    ])
      expect((await call("GET", "/_sandbox/status", { host })).status, host).toBe(200);
  });

  test("the control API rejects every call from pages on other sites [fidelity: API › CORS · Data › Control API]", async () => {
    const port = new URL(sandbox.url).port;
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `https://127.0.0.1:${port}` },
      { origin: "http://127.0.0.1:1" },
      { origin: `http://localhost:${port}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: sandbox.url, "sec-fetch-site": "cross-site" },
    ];
    for (const [method, path] of await operations())
      expectRefusal(await call(method, path, foreign[0]), 403, "forbidden", `${method} ${path}`);
    for (const headers of foreign)
      expectRefusal(
        await call("GET", "/_sandbox/status", headers),
        403,
        "forbidden",
        JSON.stringify(headers),
      );
    for (const headers of [
      { origin: sandbox.url },
      { origin: sandbox.url, "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ]) {
      const answer = await call("GET", "/_sandbox/status", headers);
      expect(answer.status, JSON.stringify(headers)).toBe(200);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
    const preflight = await call("OPTIONS", "/_sandbox/reset", {
      origin: "https://evil.example",
      "access-control-request-method": "POST",
    });
    expect(preflight.status).toBeGreaterThanOrEqual(400);
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("a change through the control API needs a JSON body or no body at all", async () => {
    for (const type of ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]) {
      const length = { "content-length": "2", ...(type === "" ? {} : { "content-type": type }) };
      const answer = await call("POST", "/_sandbox/clock/pause", length, "{}");
      expectRefusal(answer, 415, "unsupported_media_type", type);
    }
    expect((await call("POST", "/_sandbox/clock/pause")).status).toBe(200);
    expect((await call("POST", "/_sandbox/clock/pause", { "content-type": "text/plain" })).status).toBe(200);
  });

  test("the control API rejects bodies that are not JSON objects", async () => {
    const json = (body: string) => ({
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    });
    const bodies = ["{", "[]", "null", "5", '"x"', "{'a': 1}", '{"a":"\\ud800"}', "{}}"];
    const takers = (await operations()).filter(
      ([verb, target]) =>
        ["POST", "PUT"].includes(verb) && !/\/inbox\/nobody$|\/snapshots\/upload/.test(target),
    );
    for (const [index, [method, path]] of takers.entries()) {
      for (const body of index === 0 ? bodies : bodies.slice(0, 2)) {
        const answer = await call(method, path, json(body), body);
        expectRefusal(answer, 400, "bad_request", `${method} ${path} ${body}`);
      }
    }
  });
});

test("an unknown control API call gets a 404 with a hint", async () => {
  for (const [method, path] of [
    ["GET", "/_sandbox"],
    ["GET", "/_sandbox/"],
    ["GET", "/_sandbox/nope"],
    ["GET", "/_sandbox/STATUS"],
    ["POST", "/_sandbox/status"],
    ["DELETE", "/_sandbox/clock"],
    ["PUT", "/_sandbox/payments"],
    ["PROPFIND", "/_sandbox/status"],
    ["GET", "/_sandbox/../_sandbox/nope"],
    ["GET", "/nope"],
    ["POST", "/"],
    ["GET", "/w/nowhere/"],
  ] as const) {
    const answer = await call(method, path);
    expectRefusal(answer, 404, "not_found", `${method} ${path}`);
    expect(answer.body.error.hint, path).toMatch(/\S/);
  }
  for (const path of ["/_sandbox/%zz", "/_sandbox/webhooks/%ff/timeline", "/%"])
    expectRefusal(await call("GET", path), 400, "bad_request", path);
  const long = await call("GET", `/_sandbox/requests/${"x".repeat(501)}`);
  expectRefusal(long, 400, "bad_request");
});

describe("the server's pages", () => {
  test("the server's pages load no resources from other hosts", async () => {
    for (const path of ["/", "/platform/reference", "/_sandbox/reference", "/w/default/"]) {
      const answer = await sandbox.call("GET", path);
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      const policy = answer.headers.get("content-security-policy")!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe-inline.*script|script-src[^;]*unsafe|\*/);
      expect(answer.text).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(answer.text).not.toMatch(/(?:src|href)="https?:\/\/(?!127\.0\.0\.1)/);
      expect((await sandbox.call("HEAD", path)).status).toBe(200);
    }
  });

  test("each API reference page lists every operation in its OpenAPI document", async () => {
    for (const base of ["/platform", "/_sandbox"]) {
      const document = (await sandbox.call("GET", `${base}/openapi.json`)).body;
      const { text } = await sandbox.call("GET", `${base}/reference`);
      for (const { spec } of operationsOf(document)) expect(text).toContain(`id="${spec.operationId}"`);
    }
  });

  test("the server serves only the page's own files", async () => {
    const { text, headers } = await sandbox.call("GET", "/");
    expect(headers.get("content-security-policy")).toMatch(/script-src 'self'/);
    const files = [...text.matchAll(/(?:src|href)="\.?\/?([^"#]+)"/g)]
      .map(([, path]) => path!)
      .filter((path) => /\.\w+$/.test(path));
    expect(files.length).toBeGreaterThan(2);
    for (const path of files) {
      for (const world of ["", "/w/default"]) {
        const answer = await sandbox.call("GET", `${world}/${path}`);
        expect({ path, status: answer.status }).toEqual({ path, status: 200 });
        const kept = path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
        expect(answer.headers.get("cache-control"), path).toBe(kept);
      }
    }
    for (const key of Object.values(sandbox.keys)) expect(text).not.toContain(key);
    for (const path of ["/assets/none.js", "/assets/..%2f..%2fpackage.json", "/index.html"])
      expect((await sandbox.call("GET", path)).status, path).toBe(404);
  });

  test("a world's address without a trailing slash redirects to the address with the slash", async () => {
    const answer = await sandbox.call("GET", "/w/default?x=1");
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/w/default/?x=1"]);
  });
});

test("the timeline of an unknown endpoint returns 404 with a hint to list the endpoints", async () => {
  const { status, body } = await call("GET", "/_sandbox/webhooks/wh_0000000000000000/timeline");
  expect({ status, code: body.error.code }).toEqual({ status: 404, code: "not_found" });
  expect(body.error.hint).toContain("/_sandbox/webhooks");
});
