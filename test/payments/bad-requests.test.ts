import { beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS, fill, makeOneOfEach } from "../support/endpoints.ts";
import { expectError } from "../support/platform-errors.ts";
import { rawCall } from "../support/raw-http.ts";
import type { Answer } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();
let ids: Record<string, string>;
beforeAll(async () => {
  ids = await makeOneOfEach(sandbox);
});

/** Paths that contain a word where other paths contain an id. For other methods, the word is treated as an id. */
const NAMED_LIKE_IDS =
  /^\/(?:discount-codes\/(?:validate|batch)|(?:customers|transactions)\/export|transactions\/stats)$/;

/** Makes a call whose method and path are sent to the server unchanged. */
async function raw(method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const key = { authorization: `Bearer ${sandbox.keys.write}` };
  const answer = await rawCall(sandbox.url, method, `/platform/api/v1${path}`, { ...key, ...headers });
  const body = answer.text === "" ? undefined : JSON.parse(answer.text);
  return { ...answer, body, headers: new Headers(answer.headers as Record<string, string>) };
}

describe("HTTP methods", () => {
  test("a mutating request to an unknown endpoint gets a 404, even with an Idempotency-Key", async () => {
    for (const method of ["POST", "PATCH", "PUT", "DELETE"])
      for (const path of ["/nowhere", "/payment-links/pl_1/nowhere", ""])
        expectError(
          await sandbox.api(method, path, { body: {}, headers: { "idempotency-key": "nowhere" } }),
          "resource_not_found",
          { param: null, says: method },
          `${method} ${path}`,
        );
    for (const body of ["{", "x".repeat(2_000_000)])
      expectError(await sandbox.api("POST", "/nowhere", { body }), "resource_not_found", {
        param: null,
        says: "POST",
      });
  });

  test("an endpoint returns 404 for a method that it does not support", async () => {
    for (const path of new Set(ENDPOINTS.map((endpoint) => endpoint.path))) {
      const known = new Set<string>(
        ENDPOINTS.filter((endpoint) => endpoint.path === path).map(({ method }) => method),
      );
      if (known.has("GET")) known.add("HEAD");
      for (const method of ["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "TRACE", "PROPFIND", "PURGE"]) {
        if (known.has(method) || NAMED_LIKE_IDS.test(path)) continue;
        const answer = await raw(method, fill(path, ids));
        if (method === "HEAD") expect(answer.status, `HEAD ${path}`).toBe(404);
        else expectError(answer, "resource_not_found", { param: null, says: method }, `${method} ${path}`);
      }
    }
  });

  test("HEAD returns the status and headers of GET without the body", async () => {
    for (const { path } of ENDPOINTS.filter(({ method }) => method === "GET")) {
      const target = fill(path, ids);
      const get = await sandbox.api("GET", target);
      const head = await sandbox.api("HEAD", target);
      const seen = ({ status, headers }: Answer) => ({
        status,
        type: headers.get("content-type"),
        length: headers.get("content-length"),
      });
      expect(get.status, target).toBe(200);
      expect(seen(head), target).toEqual(seen(get));
      expect(head.text).toBe("");
    }
    expect((await sandbox.api("HEAD", "/payment-links", { key: null })).status).toBe(401);
    expect((await sandbox.api("HEAD", "/payment-links", { key: sandbox.keys.read })).status).toBe(200);
  });

  test("an OPTIONS preflight needs no key and allows every method and header in use", async () => {
    for (const { path, method } of ENDPOINTS) {
      const answer = await sandbox.api("OPTIONS", fill(path, ids), {
        key: null,
        headers: {
          origin: "http://localhost:5173",
          "access-control-request-method": method,
          "access-control-request-headers": "authorization, content-type, idempotency-key, x-api-key",
        },
      });
      expect(answer.status, path).toBe(204);
      expect(answer.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
      expect(answer.headers.get("vary")).toBe("Origin, Access-Control-Request-Headers");
      expect(answer.headers.get("access-control-allow-methods")).toContain(method);
      for (const name of ["authorization", "content-type", "idempotency-key", "x-api-key"])
        expect(answer.headers.get("access-control-allow-headers")).toContain(name);
    }
    expect((await sandbox.api("OPTIONS", "/payment-links", { key: null })).status).toBe(204);
  });

  test("a page on this machine can call the API and read its responses, errors and headers [fidelity: API › CORS]", async () => {
    for (const [path, key] of [
      ["/payment-links", sandbox.keys.write],
      ["/payment-links/nope", sandbox.keys.write],
      ["/payment-links", null],
    ] as const) {
      const answer = await sandbox.api("GET", path, { key, headers: { origin: "http://localhost:5173" } });
      expect(answer.headers.get("access-control-allow-origin"), path).toBe("http://localhost:5173");
      expect(answer.headers.get("vary")).toBe("Origin");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(answer.headers.get("access-control-expose-headers")).toMatch(/Retry-After.*Idempotent-Replayed/);
    }
  });
});

describe("request paths", () => {
  test("an id with unusual characters gets a 404 in the platform's format", async () => {
    const parts = [
      "%00",
      "pl_%00",
      "%2F",
      "a%2Fb",
      "..",
      "%2e%2e",
      "..%2f..%2fetc%2fpasswd",
      "%ff",
      "%C3%28",
      "%zz",
      "%",
      "%E0%A4%A",
      "%F0%9F%98%80",
      "a%20b",
      "a+b",
      "'%20or%20'1'='1",
      "%25",
      "_",
      "__proto__",
      "constructor",
      "null",
      "undefined",
      "[object%20Object]",
      "*",
      ";x=1",
      "x".repeat(500),
      "x".repeat(501),
      "x".repeat(4_000),
    ];
    for (const base of ["/payment-links", "/checkout-sessions", "/transactions", "/webhooks", "/api-keys"]) {
      for (const part of base === "/payment-links" ? parts : parts.slice(0, 4)) {
        const answer = await raw("GET", `${base}/${part}`);
        expectError(answer, "resource_not_found", { param: null }, `${base}/${part.slice(0, 40)}`);
        expectError(await raw("DELETE", `${base}/${part}`), "resource_not_found");
      }
    }
    const hook = ids["/webhooks"];
    for (const part of parts) {
      expectError(await raw("GET", `/webhooks/${hook}/deliveries/${part}`), "resource_not_found");
      expectError(await raw("POST", `/webhooks/${hook}/deliveries/${part}/retry`), "resource_not_found");
    }
  });

  test("an unknown path gets a 404", async () => {
    for (const path of [
      "",
      "/",
      "/nope",
      "/payment_links",
      "/PAYMENT-LINKS",
      "/payment-links/a/b",
      "//x",
      "/v2",
    ])
      expectError(await raw("GET", path), "resource_not_found", { param: null }, path);
    for (const path of ["/platform/api/v2/payment-links", "/platform/api", "/nowhere"]) {
      const answer = await sandbox.call("GET", path);
      expect({ path, status: answer.status, code: answer.body.error.code }).toMatchObject({ status: 404 });
    }
  });

  test("a trailing slash is accepted, and an unknown world gets a 404", async () => {
    const answer = await raw("GET", "/payment-links/");
    expect({ status: answer.status, object: answer.body.object }).toEqual({ status: 200, object: "list" });
    const lost = await sandbox.call("GET", "/w/nowhere/platform/api/v1/payment-links", {
      key: sandbox.keys.write,
    });
    expectError(lost, "resource_not_found", { says: "nowhere" });
    const here = await sandbox.call("GET", "/w/default/platform/api/v1/payment-links", {
      key: sandbox.keys.write,
    });
    expect(here.body).toMatchObject({ object: "list", url: "/api/v1/payment-links" });
  });
});

describe("request headers", () => {
  test("every POST and PATCH rejects an Idempotency-Key that does not have 1 to 256 characters [fidelity: API › Idempotency-Key]", async () => {
    const keyed = ENDPOINTS.filter(({ method }) => method === "POST" || method === "PATCH");
    for (const { method, path, body } of keyed) {
      for (const key of ["", "k".repeat(257)]) {
        const answer = await sandbox.api(method, fill(path, ids), {
          body: body ?? {},
          headers: { "idempotency-key": key },
        });
        expectError(
          answer,
          "invalid_field_value",
          { param: "Idempotency-Key", says: 256 },
          `${method} ${path}`,
        );
      }
    }
    const longest = await sandbox.api("POST", "/products", {
      body: { name: "Mug" },
      headers: { "idempotency-key": "k".repeat(256) },
    });
    expect(longest.status).toBe(201);
  });

  test("both key headers are accepted, and a malformed one results in key_invalid [fidelity: API › Both key headers]", async () => {
    const ask = (headers: Record<string, string>) =>
      sandbox.api("GET", "/payment-links", { key: null, headers });
    expect((await ask({ "x-api-key": sandbox.keys.read })).status).toBe(200);
    expect((await ask({ authorization: `bearer  ${sandbox.keys.read} ` })).status).toBe(200);
    expect((await ask({ authorization: " ", "x-api-key": sandbox.keys.read })).status).toBe(200);
    for (const authorization of [
      "Bearer a b",
      `Bearer ${"x".repeat(8_000)}`,
      "Bearer ' or 1=1 --",
      "Bearer sk_sandbox_WRITE",
      "Bearer sk_sandbox_write\u00a0",
    ])
      expectError(await ask({ authorization }), "key_invalid", { param: null }, authorization.slice(0, 60));
    expectError(await ask({ "x-api-key": "  " }), "key_missing");
    for (const authorization of ["Bearer", "bearer", "Bearer  ", " Bearer"])
      expectError(await ask({ authorization }), "key_missing", { param: null }, authorization);
    for (const authorization of ["Basic", "Basic c2s6", "Digest username=a", sandbox.keys.write]) {
      const says = `not as '${authorization.split(" ")[0]!.slice(0, 19)}`;
      expectError(await ask({ authorization }), "key_missing", { param: null, says }, authorization);
    }
    expectError(await ask({ "x-api-key": "sk_sandbox_write, sk_sandbox_read" }), "key_invalid");
  });
});

describe("keys in both headers", () => {
  const ask = (authorization: string, key: string) =>
    sandbox.api("GET", "/payment-links", { key: null, headers: { authorization, "x-api-key": key } });

  test("X-API-Key is used if Authorization has another scheme or an empty bearer token", async () => {
    for (const authorization of [
      "Basic c2s6",
      "Digest username=a",
      "sk_sandbox_write",
      "Bearer",
      "Bearer  ",
    ]) {
      expect((await ask(authorization, sandbox.keys.read)).status, authorization).toBe(200);
      expectError(await ask(authorization, "sk_sandbox_none"), "key_invalid", {}, authorization);
      expectError(await ask(authorization, sandbox.keys.revoked), "key_revoked", {}, authorization);
    }
    expectError(await ask("Bearer", " "), "key_missing");
    expectError(await ask("Basic c2s6", " "), "key_missing", { says: "not as 'Basic" });
  });

  test("a bearer token in Authorization takes precedence over X-API-Key", async () => {
    expectError(await ask("Bearer sk_sandbox_none", sandbox.keys.write), "key_invalid");
    expect((await ask(`Bearer ${sandbox.keys.write}`, "sk_sandbox_none")).status).toBe(200);
  });
});

describe("text values", () => {
  test("text is stored exactly as sent, including emoji, joiners, right-to-left text, NUL, line breaks and unnormalized characters", async () => {
    const names = [
      "👩‍🚀🇺🇦 caf\u00e9 cafe\u0301",
      "\u202etxet مرحبا",
      "nul \u0000 and \u0007",
      "two\r\nlines\u2028three",
      "𝒳\u{10ffff}\ufeff",
      "<script>alert(1)</script>",
      "' ; drop table payment_links; --",
      "{{7*7}} %s %n",
      " padded ",
    ];
    for (const name of names) {
      const link = await sandbox.createLink({ name, description: name });
      expect({ name: link.name, description: link.description }).toEqual({ name, description: name });
      expect((await sandbox.api("GET", `/payment-links/${link.id}`)).body).toEqual(link);
      const metadata = { [name.slice(0, 40)]: name };
      const session = await sandbox.openSession({ metadata, customer_name: name });
      expect({ metadata: session.metadata, name: session.customer_name }).toEqual({ metadata, name });
    }
  });

  test("text with a lone surrogate is rejected", async () => {
    for (const name of ["\ud800", "a\udfffb", "\ude00\ud83d"]) {
      const answer = await sandbox.api("POST", "/payment-links", { body: { name } });
      expectError(answer, "invalid_field_value", { param: "name" });
    }
    const inKey = await sandbox.api("POST", "/products", {
      body: { name: "Mug", metadata: { "\ud800": "x" } },
    });
    expectError(inKey, "invalid_field_value", { param: "metadata" });
  });

  test("__proto__ and constructor are stored as ordinary names", async () => {
    const hostile = '{"__proto__":"p","constructor":"c","prototype":"q","hasOwnProperty":"h"}';
    const created = await sandbox.api("POST", "/products", {
      body: `{"name":"Mug","__proto__":{"amount":"1"},"constructor":{"prototype":{"amount":"2"}},"metadata":${hostile}}`,
    });
    expect({ status: created.status, amount: created.body.amount }).toEqual({ status: 201, amount: null });
    expect(JSON.stringify(created.body.metadata)).toBe(hostile);
    const patched = await sandbox.api("PATCH", `/products/${created.body.id}`, {
      body: '{"__proto__":{"name":"Cup"}}',
    });
    expectError(patched, "no_updates_provided");
    const config = '{"__proto__":{"polluted":true},"a":[{"constructor":{"prototype":{"polluted":true}}}]}';
    const widget = await sandbox.api("POST", "/widgets", { body: `{"name":"Buy","config":${config}}` });
    expect(JSON.stringify(widget.body.config)).toBe(config);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
