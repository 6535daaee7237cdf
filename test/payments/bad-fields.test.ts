import { beforeAll, expect, test } from "vitest";
import { makeOneOfEach } from "../support/endpoints.ts";
import { type BadValue, refused } from "../support/field-rules.ts";
import { expectError } from "../support/platform-errors.ts";
import { TOKEN } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

/** What each field of each body refuses: with its code and param, naming the limit, and changing nothing. */

const sandbox = sharedSandbox();
let ids: Record<string, string>;
beforeAll(async () => {
  ids = await makeOneOfEach(sandbox);
});

type Fields = Record<string, BadValue[]>;
const nullable = { nullable: true };
const other = (value: unknown, says?: string | number): BadValue => ({
  value,
  code: "invalid_field_value",
  ...(says === undefined ? {} : { says }),
});

const LINK: Fields = {
  name: refused.text(200, { min: 1 }),
  description: refused.text(2_000, nullable),
  amount: refused.amount(nullable),
  token_address: refused.address(),
  chain_id: refused.chain(),
  recipient_address: refused.address(),
  active: refused.flag(),
  is_active: refused.flag(),
  max_uses: refused.integer(1, 1_000_000_000, nullable),
  expires_at: refused.instant(),
  product_id: refused.reference(),
  return_url: refused.url(),
  short_code: ["", "abcde", "abcdefg", "abc-ef", "abc ef", "äbcdef", 123_456, null, true, [], {}].map(
    (value) => other(value),
  ),
};
const PAYER: Fields = {
  client_reference_id: refused.text(200, nullable),
  metadata: refused.metadata(),
  customer_email: refused.email(nullable),
  customer_name: refused.text(200, nullable),
};
const SESSION: Fields = {
  ...PAYER,
  payment_link_id: [5, true, null, [], {}].map((value) => other(value)).concat(other("x".repeat(65), 64)),
  amount: refused.amount(),
  token_address: refused.address(),
  chain_id: refused.chain(),
  recipient_address: refused.address(),
  success_url: refused.url(),
  cancel_url: refused.url(),
  expires_in: refused.integer(300, 86_400),
};
const PRODUCT: Fields = {
  name: refused.text(200, { min: 1 }),
  description: refused.text(2_000, nullable),
  amount: refused.amount(nullable),
  token_address: refused.address(nullable),
  chain_id: refused.chain(nullable),
  image_url: refused.url(),
  active: refused.flag(),
  metadata: refused.metadata(),
};
const percentages = [0, -1, 100.01, 1e300, "10", "", null, true, [], {}];
const DISCOUNT: Fields = {
  code: [...refused.text(64, { min: 1 }), other("TWO WORDS"), other("TEN\n")],
  discount_type: refused.oneOf("percentage", "fixed"),
  discount_value: percentages.map((value) => other(value)),
  min_order_amount: refused.amount(nullable),
  is_active: refused.flag(),
  max_uses: refused.integer(1, 1_000_000_000, nullable),
  expires_at: refused.instant(),
  payment_link_id: refused.reference(),
  active: refused.flag(),
};
const WIDGET: Fields = {
  name: refused.text(200, { min: 1 }),
  widget_type: [...refused.text(50, { min: 1 }), other("Button"), other("1st"), other("a b")],
  config: [null, "{}", 5, true, [], ["a"]]
    .map((value) => other(value))
    .concat(other({ a: "x".repeat(17_000) }, 16_384)),
  theme: [null, "dark", 5, true, [], ["a"]]
    .map((value) => other(value))
    .concat(other({ a: "x".repeat(17_000) }, 16_384)),
  description: refused.text(2_000, nullable),
  payment_link_id: refused.reference(),
  active: refused.flag(),
  is_active: refused.flag(),
};
const EVENTS = [
  ...[null, "*", 5, true, {}].map((value) => other(value)),
  ...[[], [5], [null], ["payment.refunded"], ["PAYMENT.COMPLETED"], [""], ["**"]].map((value) =>
    other(value),
  ),
  other(["*", "payment.completed"], "*"),
  other(
    Array.from({ length: 21 }, () => "payment.failed"),
    20,
  ),
  other(["x".repeat(65)], 64),
];
const WEBHOOK: Fields = { events: EVENTS, description: refused.text(2_000, nullable) };

/** method, path, the rest of a body that would do, fields */
const TABLE: [method: "POST" | "PATCH", path: string, body: Record<string, unknown>, fields: Fields][] = [
  ["POST", "/payment-links", { name: "Tea" }, LINK],
  ["PATCH", "/payment-links/{id}", {}, LINK],
  ["POST", "/checkout-sessions", { amount: "1000" }, SESSION],
  [
    "PATCH",
    "/checkout-sessions/{id}",
    {},
    { ...PAYER, status: refused.oneOf("active", "completed", "expired") },
  ],
  ["POST", "/products", { name: "Mug" }, PRODUCT],
  ["PATCH", "/products/{id}", {}, PRODUCT],
  ["POST", "/discount-codes", { code: "C", discount_type: "percentage", discount_value: 5 }, DISCOUNT],
  ["PATCH", "/discount-codes/{id}", {}, DISCOUNT],
  [
    "POST",
    "/discount-codes",
    { code: "F", discount_type: "fixed" },
    { discount_value: ["-1", "1.5", "", "1e3", "9".repeat(79), 5, null, true].map((value) => other(value)) },
  ],
  [
    "POST",
    "/discount-codes/validate",
    { code: "C", amount: "10" },
    {
      code: refused.text(64, { min: 1 }),
      amount: refused.amount(),
      payment_link_id: [5, true, [], {}, ""].map((value) => other(value)).concat(other("x".repeat(65), 64)),
    },
  ],
  ["POST", "/widgets", { name: "Buy" }, WIDGET],
  ["PATCH", "/widgets/{id}", {}, WIDGET],
  [
    "POST",
    "/discount-codes",
    { code: "V", type: "percentage" },
    { value: ["0", "-1", "100.1", "1e1", "ten", "", 5, null, true].map((value) => other(value)) },
  ],
  [
    "POST",
    "/discount-codes",
    { code: "V", type: "fixed" },
    { value: ["-1", "1.5", "", "1e3", "9".repeat(79), 5, null, true].map((value) => other(value)) },
  ],
  [
    "PATCH",
    "/notifications",
    {},
    {
      email: refused.email(),
      email_address: refused.email(),
      email_enabled: refused.flag(),
      webhook_disabled: refused.flag(),
      telegram_enabled: refused.flag(),
      telegram_chat_id: refused.text(64, nullable),
      enabled_events: [null, "*", {}, ["*"], ["payment.refunded"], [5]].map((value) => other(value)),
    },
  ],
  [
    "PATCH",
    "/organization",
    {},
    {
      name: refused.text(200, { min: 1 }),
      description: refused.text(2_000, nullable),
      logo_url: refused.url(),
      website_url: refused.url(),
      default_recipient_address: refused.address(),
      default_token_address: refused.address(),
      default_chain_id: refused.chain(),
    },
  ],
  [
    "PATCH",
    "/customers/{id}",
    {},
    { name: refused.text(200, nullable), email: refused.email(nullable), metadata: refused.metadata() },
  ],
  [
    "POST",
    "/quick-pay",
    { recipient_address: TOKEN },
    {
      recipient_address: refused.address(),
      amount: refused.amount(nullable),
      token_address: refused.address(),
      chain_id: refused.chain(),
      name: refused.text(200, { min: 1 }),
      description: refused.text(2_000, nullable),
      expires_in: refused.integer(1, 86_400),
    },
  ],
  ["POST", "/webhooks", { url: "https://example.com/hook" }, WEBHOOK],
  ["PATCH", "/webhooks/{id}", {}, WEBHOOK],
  [
    "POST",
    "/api-keys",
    { name: "CI", permission: "read" },
    {
      name: refused.text(200, { min: 1 }),
      permission: refused.oneOf("read", "write", "admin"),
      expires_at: refused.instant(),
    },
  ],
];

test.each(TABLE)(
  "%s %s refuses bad fields [fidelity: Resources › Amounts · Resources › Metadata · Webhooks › Events]",
  async (method, path, body, fields) => {
    const base = `/${path.split("/")[1]}`;
    const target = path.replace("{id}", ids[base] ?? "");
    const one = target === path ? undefined : (await sandbox.api("GET", target)).body;
    const total = (await sandbox.api("GET", base)).body.total_count;

    for (const [field, values] of Object.entries(fields)) {
      for (const { value, code, says, part } of values) {
        const answer = await sandbox.api(method, target, { body: { ...body, [field]: value } });
        const about = `${method} ${path} ${field} = ${JSON.stringify(value).slice(0, 100)}`;
        expectError(answer, code, { says }, about);
        const { param } = answer.body.error;
        const inside = part === undefined ? /^\w+(?:\.\d+)?$/ : new RegExp(`^\\w+\\.${part}$`);
        expect(param, about).toMatch(inside);
        expect(param.split(".")[0], about).toBe(field);
      }
    }

    if (one) expect((await sandbox.api("GET", target)).body).toEqual(one);
    expect((await sandbox.api("GET", base)).body.total_count).toBe(total);
  },
);

test("values at the limit are taken [fidelity: Resources › Amounts · Resources › Metadata · Resources › Client reference]", async () => {
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

test("fields that a resource does not know are ignored, and ids and kinds are not for callers to choose [fidelity: API › Unknown fields]", async () => {
  const answer = await sandbox.api("POST", "/payment-links", {
    body: {
      name: "Tea",
      amount: "1",
      unknown: { deeply: [1] },
      id: "pl_mine",
      object: "other",
      created_at: 5,
    },
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ object: "payment_link", name: "Tea" });
  expect(answer.body.id).not.toBe("pl_mine");
  expect(answer.body).not.toHaveProperty("unknown");
});
