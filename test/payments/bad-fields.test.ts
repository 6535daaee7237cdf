import { beforeAll, expect, test } from "vitest";
import { ENDPOINTS, fill, makeOneOfEach } from "../support/endpoints.ts";
import { type BadValue, refused, refusedBy } from "../support/field-rules.ts";
import { bodySchema, operationsOf } from "../support/openapi.ts";
import { expectError } from "../support/platform-errors.ts";
import { type Json, TOKEN } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

/**
 * Tests which values each field of each request body rejects: with the right code and param, with the limit in the
 * message, and without changing any data.
 */

const sandbox = sharedSandbox();
let ids: Record<string, string>;
/** The fields of each request body with their schemas, by method and path. */
let bodies: Map<string, Record<string, Json>>;
beforeAll(async () => {
  ids = await makeOneOfEach(sandbox);
  const document = (await sandbox.call("GET", "/platform/openapi.json")).body;
  bodies = new Map(
    operationsOf(document).map(({ method, path, spec }) => [
      `${method} ${path.replace("/api/v1", "")}`,
      bodySchema(document, spec)?.properties ?? {},
    ]),
  );
});

type Fields = Record<string, BadValue[]>;
const other = (value: unknown, says?: string | number): BadValue => ({
  value,
  code: "invalid_field_value",
  ...(says === undefined ? {} : { says }),
});
const others = (...values: unknown[]): BadValue[] => values.map((value) => other(value));

/** Fields with rules that their schemas do not describe. */
const PICKED: Fields = {
  short_code: others("", "abcde", "abcdefg", "abc-ef", "abc ef", "äbcdef", 123_456, null, true, [], {}),
  code: [...refused.text(64, { min: 1 }), other("TWO WORDS"), other("TEN\n")],
  discount_value: others(0, -1, 100.01, 1e300, "10", "", null, true, [], {}),
  widget_type: [...refused.text(50, { min: 1 }), other("Button"), other("1st"), other("a b")],
  config: [...others(null, "{}", 5, true, [], ["a"]), other({ a: "x".repeat(17_000) }, 16_384)],
  theme: [...others(null, "dark", 5, true, [], ["a"]), other({ a: "x".repeat(17_000) }, 16_384)],
  events: [
    ...others(null, "*", 5, true, {}),
    ...others([], [5], [null], ["payment.refunded"], ["PAYMENT.COMPLETED"], [""], ["**"]),
    other(["*", "payment.completed"], "*"),
    other(
      Array.from({ length: 21 }, () => "payment.failed"),
      20,
    ),
    other(["x".repeat(65)], 64),
  ],
  enabled_events: others(null, "*", {}, ["*"], ["payment.refunded"], [5]),
};
const NO_FIXED_VALUE = others("-1", "1.5", "", "1e3", "9".repeat(79), 5, null, true);
/** The link of a session may be an id that does not exist; the error then says so. */
const LINK_OF_A_SESSION = [...others(5, true, null, [], {}), other("x".repeat(65), 64)];
const LINK_OF_A_CODE = [...others(5, true, [], {}, ""), other("x".repeat(65), 64)];

/** Additional bodies for an endpoint, and the errors that they cause beyond those of their schema. */
const MORE: [method: string, path: string, body: object, fields: Fields][] = [
  ["POST", "/checkout-sessions", { amount: "1000" }, { payment_link_id: LINK_OF_A_SESSION }],
  ["POST", "/discount-codes/validate", { code: "C", amount: "10" }, { payment_link_id: LINK_OF_A_CODE }],
  ["POST", "/discount-codes", { code: "F", discount_type: "fixed" }, { discount_value: NO_FIXED_VALUE }],
  ["POST", "/discount-codes", { code: "V", type: "fixed" }, { value: NO_FIXED_VALUE }],
  [
    "POST",
    "/discount-codes",
    { code: "V", type: "percentage" },
    { value: others("0", "-1", "100.1", "1e1", "ten", "", 5, null, true) },
  ],
];

/**
 * These fields are tested separately: an older name stands for a field of the valid body, and URLs have their own
 * tests.
 */
const APART = new Set([
  ...["type", "value", "url", "permissions"],
  ...["/checkout-sessions payment_link_id", "/discount-codes/validate payment_link_id"],
]);

/** A batch has the same fields as a single code, under other names; see discount-batches.test.ts. */
const WITH_BODY = ENDPOINTS.filter(({ body, path }) => body !== undefined && !path.endsWith("/batch")).map(
  ({ method, path, body }) => [method, path, body!] as const,
);

async function expectRefused(method: string, path: string, body: object, fields: Fields): Promise<void> {
  const target = fill(path, ids);
  const base = `/${path.split("/")[1]}`;
  const one = target === path ? undefined : (await sandbox.api("GET", target)).body;
  const total = (await sandbox.api("GET", base)).body.total_count;

  for (const [field, values] of Object.entries(fields)) {
    for (const { value, code, says, part } of values) {
      const answer = await sandbox.api(method, target, { body: { ...body, [field]: value } });
      const about = `${method} ${path} ${field} = ${JSON.stringify(value).slice(0, 100)}`;
      expectError(answer, code, { says }, about);
      const { param } = answer.body.error;
      const inside = part === undefined ? /^\w+(?:\[\d+\])?$/ : new RegExp(`^\\w+\\.${part}$`);
      expect(param, about).toMatch(inside);
      expect(param.split(/[.[]/)[0], about).toBe(field);
    }
  }

  if (one) expect((await sandbox.api("GET", target)).body).toEqual(one);
  expect((await sandbox.api("GET", base)).body.total_count).toBe(total);
}

test.each(WITH_BODY)(
  "%s %s rejects invalid fields [fidelity: Resources › Amounts · Resources › Metadata · Webhooks › Events]",
  async (method, path, body) => {
    const fields: Fields = {};
    for (const [name, schema] of Object.entries(bodies.get(`${method} ${path}`)!)) {
      const apart = APART.has(name) || APART.has(`${path} ${name}`);
      const values = apart ? [] : (refusedBy(name, schema) ?? PICKED[name]);
      if (values === undefined) throw new Error(`Name what ${name} refuses, as its schema does not: ${path}`);
      fields[name] = values;
    }
    expect(Object.keys(fields)).not.toEqual([]);
    await expectRefused(method, path, body, fields);
  },
);

test.each(MORE)("%s %s with %j rejects invalid fields", expectRefused);

test("fields accept values at their limits [fidelity: Resources › Amounts · Resources › Metadata · Resources › Client reference]", async () => {
  const most = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [String(index).padEnd(40, "k"), index]),
  );
  const accepted: [path: string, body: Record<string, unknown>][] = [
    ["/payment-links", { name: "x".repeat(200), description: "d".repeat(2_000), amount: "9".repeat(78) }],
    ["/payment-links", { name: "x", amount: "0", chain_id: 1, max_uses: 1, expires_at: "2026-02-28" }],
    [
      "/payment-links",
      { name: "x", amount: "7", chain_id: Number.MAX_SAFE_INTEGER, max_uses: 1_000_000_000 },
    ],
    ["/payment-links", { name: "x", token_address: TOKEN.toUpperCase().replace("0X", "0x") }],
    [
      "/payment-links",
      { name: "x", expires_at: "2026-06-01T10:00:00+02:00", return_url: "http://shop.example" },
    ],
    ["/checkout-sessions", { amount: "1", expires_in: 300, client_reference_id: "r".repeat(200) }],
    ["/checkout-sessions", { amount: "1", expires_in: 86_400, metadata: most }],
    [
      "/checkout-sessions",
      { amount: "1", metadata: { text: "v".repeat(500), yes: true, n: -1.5, no: null } },
    ],
    ["/discount-codes", { code: "c".repeat(64), discount_type: "percentage", discount_value: 100 }],
    ["/discount-codes", { code: "tiny", discount_type: "percentage", discount_value: 0.01 }],
    ["/discount-codes", { code: "huge", discount_type: "fixed", discount_value: "9".repeat(78) }],
    ["/webhooks", { url: "https://example.com/", events: ["payment.failed", "checkout.expired"] }],
  ];
  for (const [path, body] of accepted) {
    const answer = await sandbox.api("POST", path, { body });
    expect(answer.status, `${path} ${answer.text}`).toBe(201);
    const { expires_at: at, expires_in: _, ...rest } = body;
    expect(answer.body).toMatchObject(rest);
    if (at !== undefined) expect(answer.body.expires_at).toBe(new Date(at as string).toISOString());
  }
});
