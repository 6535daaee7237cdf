import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAmount, parseAmount } from "../../src/payments/hosted/amount.ts";
import {
  type CheckoutView,
  countdownScript,
  type ReceiptView,
  renderCheckout,
  renderClosed,
  renderReceipt,
} from "../../src/payments/hosted/page.ts";
import { timeLeft } from "../../src/payments/hosted/time.ts";

const session: CheckoutView["session"] = {
  id: "cs_4fG7hJ9kLmN2pQrS",
  amount: "25000000",
  customer_email: null,
  customer_name: null,
  client_reference_id: "order_1042",
  metadata: { plan: "pro" },
  expires_at: "2026-01-01T00:30:00.000Z",
  cancel_url: "https://shop.example/cart",
};

function checkout(over: Partial<CheckoutView> = {}): string {
  return renderCheckout({
    action: "/pay/aB3dE6",
    session,
    link: { name: "Founders pass", description: null },
    organization: "Nightjar Games",
    token: { symbol: "USDC", decimals: 6, address: `0x${"a".repeat(40)}` },
    chain: { id: 8453, name: "Base" },
    recipient_address: `0x${"1".repeat(40)}`,
    now: "2026-01-01T00:08:48.000Z",
    ...over,
  });
}

function receipt(
  transaction: Partial<ReceiptView["transaction"]> = {},
  over: Partial<ReceiptView> = {},
): string {
  return renderReceipt({
    organization: "Nightjar Games",
    session,
    link: null,
    token: { symbol: "USDC", decimals: 6, address: `0x${"a".repeat(40)}` },
    chain: { id: 8453, name: "Base" },
    returnUrl: "https://shop.example/thanks",
    now: "2026-01-01T00:08:48.000Z",
    ...over,
    transaction: {
      id: "txn_8aB2cD4eF6gH8iJ0",
      status: "completed",
      amount: "22500000",
      tx_hash: `0x${"b".repeat(64)}`,
      discount_code: null,
      sender_address: `0x${"c".repeat(40)}`,
      ...transaction,
    },
  });
}

/** The text that a reader sees, without tags. */
const text = (page: string) => page.replace(/<(style|head)\b.*?<\/\1>/gs, "").replace(/<[^>]*>/g, "");
const outcomes = (page: string) =>
  [...page.matchAll(/name="outcome" value="(\w+)"/g)].map((match) => match[1]);
const fields = (page: string) =>
  [...page.matchAll(/<input id="(\w+)" name="(\w+)"/g)].map((match) => match[2]);

describe("the checkout page", () => {
  it("the checkout page shows the amount, the chain and the remaining virtual time", () => {
    const page = checkout();
    expect(text(page)).toContain("25.00 USDC");
    expect(text(page)).toContain("Base (8453)");
    expect(text(page)).toContain("21:12 left");
    expect(page).toContain(`title="0x${"1".repeat(40)}"`);
  });

  it("the checkout page offers every outcome, with payment first, so Enter pays", () => {
    expect(outcomes(checkout())).toEqual([
      "completed",
      "reverted",
      "timed_out",
      "insufficient_funds",
      "rejected",
      "expired",
    ]);
  });

  it("the checkout page asks for an amount only if the session has none [fidelity: Simulated › form_data]", () => {
    const usual = ["customer_email", "customer_name", "line1", "city", "state", "zip", "discount_code"];
    expect(fields(checkout())).toEqual(usual);
    const open = checkout({ session: { ...session, amount: null } });
    expect(fields(open)).toEqual(["amount", ...usual]);
    expect(text(open)).toContain("Any amount in USDC");
  });

  it("the checkout page works without JavaScript and posts to its action", () => {
    // The only script updates the countdown, which also appears without the script.
    const plain = checkout().replace(`<script>${countdownScript}</script>`, "");
    expect(plain).not.toContain("<script");
    expect(plain).toContain("<b>21:12</b>");
    expect(checkout()).toContain('<form class="form" method="post" action="/pay/aB3dE6">');
  });

  it("the checkout page shows an error at its field and preserves what was typed", () => {
    const page = checkout({
      error: { message: "That code has expired.", param: "discount_code" },
      values: { discount_code: "SPRING", customer_email: "ada@example.com" },
    });
    expect(page).toMatch(/<input id="discount_code"[^>]*value="SPRING"[^>]*aria-invalid="true"/);
    expect(page).toMatch(/<input id="customer_email"[^>]*value="ada@example.com"/);
    expect(page.match(/That code has expired/g)).toHaveLength(1);
  });

  it.each(["elsewhere", "amount", undefined])(
    "the checkout page shows an error about the field %s above the form",
    (param) => {
      expect(checkout({ error: { message: "No.", param } })).toMatch(/class="notice" role="alert"><bdi>No\./);
    },
  );

  it("the checkout page describes why the last attempt failed", () => {
    expect(text(checkout({ lastFailure: "reverted" }))).toContain("the transaction reverted (reverted)");
    expect(text(checkout({ lastFailure: "constructor" }))).toContain("constructor (constructor)");
  });
});

const hostile = [
  "<script>alert(1)</script>",
  `" onfocus="alert(1)" autofocus x='`,
  "</style><img src=x onerror=alert(1)>",
  "x".repeat(10_000),
  "\u202Etxet lortnoc\u2066 مرحبا",
  "👩‍🚀🏳️‍🌈",
  "`a`\0",
];

describe.each(hostile)("hostile data: %.24s", (evil) => {
  const pages = () => [
    checkout({
      action: evil,
      organization: evil,
      link: { name: evil, description: evil },
      token: { symbol: evil, decimals: 6, address: evil },
      chain: { id: 1, name: evil },
      recipient_address: evil,
      session: { ...session, client_reference_id: evil, metadata: { [evil]: evil }, cancel_url: evil },
      lastFailure: evil,
      values: { customer_name: evil },
    }),
    receipt(
      { discount_code: evil, tx_hash: evil, sender_address: evil },
      { organization: evil, returnUrl: evil },
    ),
    renderClosed({ title: evil, message: evil, hint: evil }),
  ];

  it("hostile data cannot add an element or attribute to a page", () => {
    for (const page of pages()) {
      const body = page.slice(page.indexOf("<body>")).replace(`<script>${countdownScript}</script>`, "");
      expect(page.match(/<\/style>/g)).toHaveLength(1);
      expect(body).not.toMatch(/<script|<img/i);
      for (const tag of body.match(/<[^>]*>/g) ?? []) {
        expect(tag.replace(/="[^"]*"/g, "")).toMatch(/^<\/?\w+( [\w-]+)*\/?>$/);
        expect(tag.replace(/="[^"]*"/g, "")).not.toMatch(/ on\w+/);
      }
      expect(page).not.toContain("\0");
    }
  });
});

it.each([
  "javascript:alert(1)",
  "JAVASCRIPT:alert(1)",
  "data:text/html,x",
  " javascript:x",
  "//evil.example",
])("the checkout and the receipt do not link to %s", (address) => {
  expect(receipt({}, { returnUrl: address })).not.toContain('class="pay"');
  expect(checkout({ session: { ...session, cancel_url: address } })).not.toContain("Cancel and go back");
});

describe("the receipt", () => {
  it("the receipt confirms the payment and links back to the shop", () => {
    expect(receipt()).toContain("<h2>Paid</h2>");
    expect(receipt()).toContain('<a class="pay" href="https://shop.example/thanks">');
    expect(receipt({}, { returnUrl: null })).not.toContain('class="pay"');
  });
});

describe("amounts", () => {
  const units = fc.bigInt({ min: 0n, max: 10n ** 78n - 1n });
  const decimals = fc.integer({ min: 0, max: 36 });

  it("a formatted amount is exact and parses back to the same value", () => {
    fc.assert(
      fc.property(units, decimals, (amount, places) => {
        const shown = formatAmount(amount, places);
        expect(shown).toMatch(/^(0|[1-9]\d{0,2}(,\d{3})*)(\.\d+)?$/);
        const [whole = "", fraction = ""] = shown.replaceAll(",", "").split(".");
        expect(BigInt(whole + fraction.padEnd(places, "0"))).toBe(amount);
        expect(fraction.length).toBeGreaterThanOrEqual(Math.min(2, places));
        expect(fraction).not.toMatch(/^\d{2,}0$/);
        expect(parseAmount(shown, places)).toBe(amount.toString());
        expect(formatAmount(amount.toString(), places)).toBe(shown);
      }),
    );
  });

  it.each([
    ["25000000", 6, "25.00"],
    ["1", 18, "0.000000000000000001"],
    ["0", 6, "0.00"],
    ["1234567", 0, "1,234,567"],
    ["1234567", 1, "123,456.7"],
    ["1234500", 6, "1.2345"],
  ])("an amount of %s with %i decimals is shown as %s", (amount, places, shown) => {
    expect(formatAmount(amount, places)).toBe(shown);
  });

  it.each([
    ["12.5", 6, "12500000"],
    [" 1,000 ", 2, "100000"],
    [".5", 1, "5"],
    ["007", 0, "7"],
    ["1.10", 1, "11"],
    ["1.23", 1, undefined],
    ["1,00", 2, undefined],
    ["", 2, undefined],
    [".", 2, undefined],
    ["-1", 2, undefined],
    ["1e3", 2, undefined],
  ])("an amount typed as %j with %i decimals is parsed as %s", (typed, places, amount) => {
    expect(parseAmount(typed, places)).toBe(amount);
  });
});

it.each([
  ["2026-01-01T00:00:00Z", "2026-01-01T00:21:12Z", "21:12", "30 min", 70.7],
  ["2026-01-01T00:00:00Z", "2026-01-01T23:59:59Z", "23:59:59", "24 h", 100],
  ["2026-01-01T00:00:00Z", "2026-01-03T01:00:00Z", "2 d 1:00:00", "over 24 h", 100],
  ["2026-01-01T01:00:00Z", "2026-01-01T00:00:00Z", "0:00", "5 min", 0],
])("the time left from %s to %s is shown as %s", (now, until, shown, range, share) => {
  expect(timeLeft(now, until)).toMatchObject({ text: shown, range, share });
});
