import { beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS, fill, makeOneOfEach } from "../support/endpoints.ts";
import { bodySchema, collect, operationsOf, resolveRef } from "../support/openapi.ts";
import { expectError } from "../support/platform-errors.ts";
import type { Answer, Json } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

/** Tests what every endpoint of the platform handles in the same way: keys, bodies, query parameters and ids. */

const sandbox = sharedSandbox();
let mine: Record<string, string>;
let theirs: Record<string, string>;

beforeAll(async () => {
  mine = await makeOneOfEach(sandbox);
  theirs = await makeOneOfEach(sandbox, sandbox.keys.other);
});

const changing = ENDPOINTS.filter(({ method }) => method !== "GET");
const withBody = ENDPOINTS.filter(({ body }) => body !== undefined);
const withId = ENDPOINTS.filter(({ path }) => path.includes("{"));
/** One endpoint for each method, because all endpoints read bodies in the same way. */
const samples = new Set(
  ["POST", "PATCH", "DELETE"].map((verb) => changing.find(({ method }) => method === verb)!),
);
/** All cases for the sample endpoints, but only the first case for the others. */
const casesOf = <Case>(endpoint: (typeof changing)[number], all: readonly Case[]) =>
  samples.has(endpoint) ? all : all.slice(0, 1);
const about = ({ method, path }: { method: string; path: string }, more = "") => `${method} ${path} ${more}`;

/** The number of rows of each kind. Rejected requests must not change them. */
async function totals(): Promise<Record<string, number>> {
  const counts: Record<string, number> = (await sandbox.control("GET", "/status")).body.counts;
  for (const path of ["/products", "/discount-codes", "/widgets", "/api-keys"])
    counts[path] = (await sandbox.api("GET", path)).body.total_count;
  return counts;
}

test("the table of invalid input covers every endpoint in the OpenAPI document", async () => {
  const document = (await sandbox.call("GET", "/platform/openapi.json")).body;
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path.replace("/api/v1", "")}`),
  );
  expect(ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(documented.sort());
});

describe("requests with an invalid key", () => {
  test("each endpoint rejects a missing, unknown, revoked or expired key", async () => {
    for (const endpoint of ENDPOINTS) {
      const { method, path, body } = endpoint;
      const call = (key: string | null, headers: Record<string, string> = {}) =>
        sandbox.api(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
      for (const answer of [await call(null), await call(null, { authorization: "Basic c2s6" })])
        if (endpoint.keyOptional) expect(answer.status, about(endpoint)).toBe(201);
        else expectError(answer, "key_missing", { param: null }, about(endpoint));
      expectError(await call("sk_sandbox_nobody"), "key_invalid", { param: null }, about(endpoint));
      expectError(
        await call(null, { "x-api-key": "sk_sandbox_expired" }),
        "key_expired",
        {},
        about(endpoint),
      );
      expectError(await call(sandbox.keys.revoked), "key_revoked", { param: null }, about(endpoint));
    }
  });

  test("a read-only key cannot change anything [fidelity: Payments platform › Keys]", async () => {
    const before = await totals();
    for (const endpoint of changing) {
      const { method, path, body } = endpoint;
      const answer = await sandbox.api(method, fill(path, mine), {
        key: sandbox.keys.read,
        ...(body === undefined ? {} : { body }),
      });
      expectError(answer, "insufficient_permissions", { param: null }, about(endpoint));
    }
    expect(await totals()).toEqual(before);
  });
});

describe("requests with an invalid body", () => {
  test("each endpoint rejects a body that is not JSON or not an object [fidelity: API › Content type]", async () => {
    const before = await totals();
    const bad: [body: string | Uint8Array, says: string][] = [
      ['{"name":', "not valid JSON"],
      ["{'name': 'Tea'}", "not valid JSON"],
      ["{}{}", "not valid JSON"],
      ["name=Tea", "not valid JSON"],
      ['{"name": NaN}', "not valid JSON"],
      ["\u0000", "not valid JSON"],
      [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "UTF-8"],
      ["[]", "an array"],
      ['[{"name":"Tea"}]', "an array"],
      ['"name"', "a string"],
      ["17", "a number"],
      ["true", "a boolean"],
      ["null", "null"],
    ];
    for (const endpoint of changing) {
      for (const [body, says] of casesOf(endpoint, bad)) {
        const answer = await sandbox.api(endpoint.method, fill(endpoint.path, mine), {
          body,
          headers: { "content-type": "application/json" },
        });
        expectError(answer, "invalid_field_value", { param: "body", says }, about(endpoint, String(body)));
      }
    }
    expect(await totals()).toEqual(before);
  });

  test("each endpoint rejects a missing body, and one that lacks its required field [fidelity: Payments platform › PATCH]", async () => {
    const before = await totals();
    for (const endpoint of withBody) {
      const { method, path, required } = endpoint;
      for (const body of [undefined, "", {}, { no_such_field: 1 }, { constructor: { name: "x" } }]) {
        const answer = await sandbox.api(method, fill(path, mine), {
          ...(body === undefined ? {} : { body }),
          ...(body === "" ? { headers: { "content-type": "application/json" } } : {}),
        });
        if (required === undefined)
          expectError(answer, "no_updates_provided", { param: null }, about(endpoint, JSON.stringify(body)));
        else
          expectError(answer, "missing_required_field", { param: required, says: required }, about(endpoint));
      }
    }
    expect(await totals()).toEqual(before);
  });

  test("each endpoint rejects other content types, and bodies larger than 1 MiB [fidelity: API › Content type]", async () => {
    for (const endpoint of changing) {
      const call = (body: string, type: string) =>
        sandbox.api(endpoint.method, fill(endpoint.path, mine), { body, headers: { "content-type": type } });
      const json = JSON.stringify(endpoint.body ?? {});
      for (const type of casesOf(endpoint, [
        "text/plain",
        "application/x-www-form-urlencoded",
        "garbage",
        "multipart/form-data; boundary=x",
        "application/jsonx",
      ]))
        expectError(
          await call(json, type),
          "invalid_field_value",
          { param: "Content-Type" },
          about(endpoint, type),
        );
      if (!samples.has(endpoint)) continue;
      const large = JSON.stringify({ name: "x".repeat(2 * 1024 * 1024) });
      const refused = await call(large, "application/json");
      expectError(refused, "invalid_field_value", { param: "body", says: 1_048_576 }, about(endpoint));
    }
  });

  test("the API accepts a body of 1 MiB, including non-ASCII letters, and rejects one byte more [fidelity: API › Content type]", async () => {
    const body = (bytes: number) => {
      const json = JSON.stringify({ name: "Çay €" });
      return json + " ".repeat(bytes - Buffer.byteLength(json));
    };
    const headers = { "content-type": "application/json; charset=utf-8" };
    const most = await sandbox.api("POST", "/products", { body: body(1_048_576), headers });
    expect([most.status, most.body.name]).toEqual([201, "Çay €"]);
    const over = await sandbox.api("POST", "/products", { body: body(1_048_577), headers });
    expectError(over, "invalid_field_value", { param: "body", says: 1_048_576 });
  });

  test("each endpoint rejects a body that is nested too deeply", async () => {
    const deep = (levels: number) => `{"config":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;
    for (const endpoint of changing) {
      const arrays = `{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
      for (const body of casesOf(endpoint, [deep(100), deep(50_000), arrays])) {
        const answer = await sandbox.api(endpoint.method, fill(endpoint.path, mine), {
          body,
          headers: { "content-type": "application/json", "idempotency-key": "deep" },
        });
        expectError(answer, "invalid_field_value", { says: 100 }, about(endpoint));
      }
    }
    const config = JSON.parse(deep(90)).config;
    const kept = await sandbox.api("POST", "/widgets", { body: { name: "Deep", config } });
    expect(kept.status).toBe(201);
    expect(kept.body.config).toEqual(config);
  });
});

describe("unknown query parameters [fidelity: API › Unknown fields]", () => {
  const UNKNOWN = ["colour", "Page", "limit[]", "constructor", "__proto__", "toString"];
  const query = UNKNOWN.map((name) => `${name}=1`).join("&");
  const hint = (answer: Answer) => answer.headers.get("x-sandbox-hint");
  const NAMED = "Ignored unknown query parameters: colour, Page, limit[], constructor, __proto__, toString.";

  test("unknown query parameters are ignored and listed in X-Sandbox-Hint along with the known ones", async () => {
    for (const endpoint of ENDPOINTS.filter(({ method }) => method === "GET")) {
      const target = fill(endpoint.path, mine);
      const plain = await sandbox.api("GET", target);
      expect(hint(plain), about(endpoint)).toBeNull();
      const answer = await sandbox.api("GET", `${target}?${query}`);
      expect({ status: answer.status, body: answer.body }, about(endpoint)).toEqual({
        status: 200,
        body: plain.body,
      });
      const known = endpoint.list
        ? /^ Valid names: page, limit, /
        : /^ (Valid names: .+|This endpoint accepts none\.)/;
      expect(hint(answer), about(endpoint)).toContain(NAMED);
      expect(hint(answer)!.slice(NAMED.length), about(endpoint)).toMatch(known);
    }
    const one = await sandbox.api("GET", "/products?active=true&limit=1&colour=red&page=1");
    expect(hint(one)).toBe(
      "Ignored unknown query parameters: colour. Valid names: page, limit, sort, order, active.",
    );
  });

  test("write responses and error responses also list unknown query parameters", async () => {
    const made = await sandbox.api("POST", "/products?colour=red", { body: { name: "Mug" } });
    expect({ status: made.status, hint: hint(made) }).toEqual({
      status: 201,
      hint: "Ignored unknown query parameters: colour. This endpoint accepts none.",
    });
    for (const endpoint of changing) {
      const answer = await sandbox.api(endpoint.method, `${fill(endpoint.path, {})}?${query}`, {
        body: endpoint.path.includes("{") ? (endpoint.body ?? {}) : { name: 5, code: 5, url: 5, amount: 5 },
      });
      expect([400, 404], about(endpoint, answer.text)).toContain(answer.status);
      expect(hint(answer), about(endpoint)).toContain(NAMED);
    }
    expectError(await sandbox.api("GET", "/products?limit=0&colour=red"), "invalid_field_value", {
      param: "limit",
    });
  });

  test("X-Sandbox-Hint stays short and printable for any unknown query parameter", async () => {
    const many = Array.from({ length: 300 }, (_, index) => `p${index}=1`).join("&");
    expect(hint(await sandbox.api("GET", `/products?${many}`))).toMatch(
      /: p0, p1, .*p9 and 290 more\. Valid names/,
    );
    const odd = `?${"x".repeat(5_000)}=1&%0d%0aset-cookie:a=1&%C3%BC=1&%F0%9F%98%80=1&%ff=1&=1`;
    const answer = await sandbox.api("GET", `/products${odd}`);
    expect(answer.status).toBe(200);
    expect(hint(answer)).toMatch(/^[\x20-\x7e]{50,1000}$/);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("the OpenAPI document declares X-Sandbox-Hint on every response", async () => {
    const document = (await sandbox.call("GET", "/platform/openapi.json")).body;
    for (const { method, path, spec } of operationsOf(document)) {
      for (const [status, { headers }] of Object.entries<Json>(spec.responses)) {
        const header = resolveRef(document, headers["X-Sandbox-Hint"].$ref) as Json;
        expect(header.description, `${method} ${path} ${status}`).toContain(
          "query parameters and body fields",
        );
        expect(header.schema).toEqual({ type: "string" });
      }
    }
  });
});

describe("unknown body fields [fidelity: API › Unknown fields]", () => {
  const hint = (answer: Answer) => answer.headers.get("x-sandbox-hint");
  const post = (path: string, body: unknown) => sandbox.api("POST", path, { body });

  test("unknown body fields are ignored, and X-Sandbox-Hint suggests the closest known one", async () => {
    const chosen = { id: "pl_mine", object: "other", created_at: 5 };
    const made = await post("/payment-links", {
      name: "Tea",
      amount: "1",
      ...chosen,
      max_use: { deeply: [1] },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { object: "payment_link", name: "Tea", max_uses: null },
    });
    expect(made.body.id).not.toBe("pl_mine");
    expect(made.body).not.toHaveProperty("max_use");
    expect(hint(made)).toMatch(
      /^Ignored unknown body fields: id, object, created_at, max_use\. Valid names: name, .+\. Did you mean max_uses instead of max_use\?$/,
    );
    const session = await post("/checkout-sessions", { amount: "1", discount_code: "TEA10" });
    expect([session.status, hint(session)]).toEqual([
      201,
      expect.stringMatching(/^Ignored unknown body fields: discount_code\. Valid names: payment_link_id, /),
    ]);
  });

  test("every endpoint lists unknown body fields, even in error responses and even if it accepts no body", async () => {
    for (const endpoint of changing) {
      const body = { ...(endpoint.body as object), colour: "red", __proto: 1 };
      const answer = await sandbox.api(endpoint.method, fill(endpoint.path, {}), { body });
      expect(hint(answer), about(endpoint, answer.text)).toContain(
        "Ignored unknown body fields: colour, __proto.",
      );
    }
    const both = await post("/products?colour=red", { nam: "Mug" });
    expect([both.status, hint(both)]).toEqual([
      400,
      expect.stringMatching(
        /query parameters: colour\..+body fields: nam\..+Did you mean name instead of nam\?$/,
      ),
    ]);
  });

  test("config, theme and metadata accept fields of any name", async () => {
    const free = { anything: { at: ["all"] } };
    const known = await post("/widgets", { name: "Own", config: free, theme: free });
    expect([known.status, hint(known)]).toEqual([201, null]);
    const session = await post("/checkout-sessions", { amount: "1", metadata: { max_use: "1" } });
    expect([session.status, hint(session)]).toEqual([201, null]);
  });
});

describe("resource ids", () => {
  test("an id of another organization is treated like one that does not exist [fidelity: Payments platform › Organizations]", async () => {
    for (const endpoint of withId) {
      const { method, path, body } = endpoint;
      const wrong = [
        fill(path, theirs),
        fill(path, {}),
        fill(path, { ...mine, [`/${path.split("/")[1]}`]: mine["/transactions"]!.replace("txn_", "zzz_") }),
      ];
      if (path.includes("{delivery_id}")) wrong.push(fill(path, { ...mine, delivery: theirs.delivery! }));
      for (const target of wrong) {
        const answer = await sandbox.api(method, target, body ? { body } : {});
        expectError(answer, "resource_not_found", { param: null }, about(endpoint, target));
      }
    }
  });

  test("an unknown id in a body is rejected, with the name of its field [fidelity: API › Ids in bodies]", async () => {
    const coupon = { code: "FIVE", discount_type: "fixed", discount_value: "5" };
    const bodies: [method: string, path: string, body: Record<string, unknown>, field: string][] = [
      ["POST", "/payment-links", { name: "Tea" }, "product_id"],
      ["PATCH", "/payment-links/{payment_link_id}", {}, "product_id"],
      ["POST", "/payment-links/{payment_link_id}/duplicate", {}, "product_id"],
      ["POST", "/checkout-sessions", {}, "payment_link_id"],
      ["POST", "/discount-codes", coupon, "payment_link_id"],
      ["PATCH", "/discount-codes/{id}", {}, "payment_link_id"],
      ["POST", "/discount-codes/batch", { ...coupon, code: undefined, codes: ["SIX"] }, "payment_link_id"],
      ["POST", "/discount-codes/validate", { code: "NONE", amount: "10" }, "payment_link_id"],
      ["POST", "/widgets", { name: "Buy" }, "payment_link_id"],
      ["PATCH", "/widgets/{id}", {}, "payment_link_id"],
    ];
    const document = (await sandbox.call("GET", "/platform/openapi.json")).body;
    const documented = operationsOf(document).flatMap(({ method, path, spec }) =>
      ["payment_link_id", "product_id"]
        .filter((field) => collect(bodySchema(document, spec), field).length > 0)
        .map((field) => `${method} ${path.replace("/api/v1", "")} ${field}`),
    );
    expect(bodies.map(([method, path, , field]) => `${method} ${path} ${field}`).sort()).toEqual(
      documented.sort(),
    );
    const before = await totals();
    for (const [method, path, body, field] of bodies) {
      const base = field === "product_id" ? "/products" : "/payment-links";
      for (const id of [theirs[base]!, "nope", mine["/transactions"]!, `${mine[base]}x`, ` ${mine[base]}`]) {
        const answer = await sandbox.api(method, fill(path, mine), { body: { ...body, [field]: id } });
        expectError(answer, "resource_not_found", { param: field, says: id }, `${method} ${path} ${id}`);
      }
    }
    expect(await totals()).toEqual(before);
  });

  test("an id of another kind of resource is treated as unknown", async () => {
    for (const endpoint of withId) {
      const base = `/${endpoint.path.split("/")[1]}`;
      for (const [kind, id] of Object.entries(mine)) {
        if (kind === base) continue;
        const target = fill(endpoint.path, { ...mine, [base]: id });
        const answer = await sandbox.api(
          endpoint.method,
          target,
          endpoint.body ? { body: endpoint.body } : {},
        );
        expectError(answer, "resource_not_found", { param: null }, about(endpoint, kind));
      }
    }
  });

  test("the id of a deleted resource is treated as unknown", async () => {
    const doomed = await makeOneOfEach(sandbox);
    const bases = ["/payment-links", "/products", "/discount-codes", "/widgets", "/webhooks"];
    for (const base of bases) {
      const deleted = await sandbox.api("DELETE", `${base}/${doomed[base]}`);
      expect({ status: deleted.status, deleted: deleted.body.deleted }).toEqual({
        status: 200,
        deleted: true,
      });
    }
    for (const endpoint of withId.filter(({ path }) => bases.includes(`/${path.split("/")[1]}`))) {
      const answer = await sandbox.api(
        endpoint.method,
        fill(endpoint.path, doomed),
        endpoint.body ? { body: endpoint.body } : {},
      );
      expectError(answer, "resource_not_found", { param: null }, about(endpoint));
    }
    const opened = await sandbox.api("POST", "/checkout-sessions", {
      body: { payment_link_id: doomed["/payment-links"] },
    });
    expectError(opened, "resource_not_found");
  });
});
