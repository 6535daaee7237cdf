import { describe, expect, test } from "vitest";
import type { Delivery } from "../../ui/api-types.ts";
import { tokensOf } from "../../ui/models/code.ts";
import { curlOf, curlOfArrived, withKey } from "../../ui/models/curl.ts";
import { hrefOfId, piecesOf } from "../../ui/models/ids.ts";
import { firstChoice } from "../../ui/models/payments.ts";
import { createRouter, readRoute } from "../../ui/models/router.ts";
import { subjectOf } from "../../ui/models/webhooks/attempt.ts";

test.each([
  ["txn_0U5x6PraBIoqzyaf", "#/log?search=txn_0U5x6PraBIoqzyaf"],
  ["cs_0R4BoOI3b7lg7wbz", "#/log?search=cs_0R4BoOI3b7lg7wbz"],
  ["pl_0tIgHvQZdNe7JeAC", "#/log?search=pl_0tIgHvQZdNe7JeAC"],
  ["wh_0YJB54yYvw6s1KaX", "#/webhooks/wh_0YJB54yYvw6s1KaX"],
  ["evt_0VOE6kiz3VcCX6r9", "#/log?search=evt_0VOE6kiz3VcCX6r9"],
  ["del_0kC2GH3C8QF3fKgB", "#/webhooks/del_0kC2GH3C8QF3fKgB"],
  ["mail_0kC2GH3C8QF3fKgB", "#/log/mail/mail_0kC2GH3C8QF3fKgB"],
  ["cus_0kC2GH3C8QF3fKgB", "#/log?search=cus_0kC2GH3C8QF3fKgB"],
  ["prod_0kC2GH3C8QF3fKgB", "#/log?search=prod_0kC2GH3C8QF3fKgB"],
  ["org_0kC2GH3C8QF3fKgB", undefined],
  ["wh_0YJB54yYvw6s1KaX and more", undefined],
  ["txn_", undefined],
  ["constructor_0123456789", undefined],
])("an id on the page links to its object: %s", (id, to) => {
  expect(hrefOfId(id)).toBe(to);
});

/** Views from earlier versions, and where their contents are now. */
test.each([
  ["#/overview", "#/"],
  ["#/connect", "#/"],
  ["#/snapshots/worlds", "#/"],
  ["#/scenarios/runs/run_1", "#/bug"],
  ["#/game/players", "#/log"],
  ["#/data/cache?page=2", "#/log"],
  ["#/activity", "#/log?kind=calls"],
  ["#/activity/calls/7", "#/log/call/7?kind=calls"],
  ["#/activity/journal/3", "#/log/entry/3"],
  ["#/audit?type=webhook.created", "#/log?kind=audit"],
  ["#/mail/mail_1", "#/log/mail/mail_1?kind=mail"],
  ["#/inboxes/shop", "#/log?kind=inboxes&search=shop"],
  ["#/payments", "#/log"],
  ["#/payments/story/txn_1", "#/log?search=txn_1"],
  ["#/payments/links/new", "#/log"],
])("an address from an earlier version redirects to the closest match: %s", (before, now) => {
  const place = {
    location: { hash: before },
    history: {
      replaceState(_data: unknown, _title: string, url: string) {
        place.location.hash = url;
      },
    },
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
  const { route } = createRouter(place);
  expect(place.location.hash).toBe(now);
  expect(route.value).toEqual(readRoute(now));
});

test("the page turns ids in a text into links and leaves the text unchanged", () => {
  const text =
    "POST /v1/payment-links/pl_0tIgHvQZdNe7JeAC of wh_0YJB54yYvw6s1KaX; my-wh_0YJB54yYvw6s1KaX, evt_1.";
  const pieces = piecesOf(text);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(pieces.flatMap(({ href }) => href ?? [])).toEqual([
    "#/log?search=pl_0tIgHvQZdNe7JeAC",
    "#/webhooks/wh_0YJB54yYvw6s1KaX",
  ]);
  expect(piecesOf("")).toEqual([]);
});

describe("highlighted source", () => {
  test("highlighting marks parts and ids of a source, and leaves its text unchanged", () => {
    const source = '{\n  "id": "txn_0U5x6PraBIoqzyaf",\n  "amount": -12.5, "paid": true\n} # end';
    const tokens = tokensOf(source);
    expect(tokens.map(({ text }) => text).join("")).toBe(source);
    expect(tokens.filter(({ kind }) => kind !== "plain").map(({ text, kind }) => [kind, text])).toEqual([
      ["key", '"id"'],
      ["string", '"'],
      ["string", "txn_0U5x6PraBIoqzyaf"],
      ["string", '"'],
      ["key", '"amount"'],
      ["number", "-12.5"],
      ["key", '"paid"'],
      ["word", "true"],
      ["comment", "# end"],
    ]);
    expect(tokens.find(({ text }) => text.startsWith("txn_"))?.href).toBe(
      "#/log?search=txn_0U5x6PraBIoqzyaf",
    );
  });

  test.each(["", '"', "'a", '"a\\"b', "x".repeat(40_000), "http://127.0.0.1:4400/a#b"])(
    "highlighting leaves any source unchanged: %#",
    (source) => {
      expect(
        tokensOf(source)
          .map(({ text }) => text)
          .join(""),
      ).toBe(source);
    },
  );
});

test("the page quotes a request's curl command for a shell", () => {
  expect(curlOf({ method: "POST", url: "http://a/b?c=d", headers: { "X-A": "it's" }, body: '{"a":1}' })).toBe(
    "curl -i -X POST 'http://a/b?c=d' \\\n  -H 'X-A: it'\\''s' \\\n  --data-binary '{\"a\":1}'",
  );
  const headers = { Host: "a", "content-length": "2", "x-id": "1" };
  expect(curlOfArrived({ method: "POST", url: "http://a", headers, body: "{}" })).toBe(
    "curl -i -X POST 'http://a' \\\n  -H 'x-id: 1' \\\n  --data-binary '{}'",
  );
  expect(withKey('curl x -H "Authorization: Bearer $SANDGLASS_API_KEY"', "key_1")).toBe(
    'curl x -H "Authorization: Bearer key_1"',
  );
});

const delivery = (over: Partial<Delivery>): Delivery =>
  ({
    created_at: "2026-01-15T09:00:00.000Z",
    response_code: 503,
    error: "status",
    duration_ms: 4,
    request_headers: { "X-Id": "1", "X-Same": "s" },
    request_body: '{"data":{"id":"txn_0U5x6PraBIoqzyaf"}}',
    response_headers: null,
    response_body: null,
    ...over,
  }) as unknown as Delivery;

test("an attempt links to the payment or session of its event", () => {
  expect(subjectOf(delivery({}))).toBe("txn_0U5x6PraBIoqzyaf");
  expect(subjectOf(delivery({ request_body: "no json" }))).toBeUndefined();
});

describe("the payment link suggested by the page", () => {
  const link = (id: string, over: object = {}) =>
    ({
      id,
      amount: "100",
      active: true,
      expires_at: null,
      max_uses: null,
      current_uses: 0,
      ...over,
    }) as never;
  test("the page suggests the newest link that can be paid without further input", () => {
    const links = [
      link("over", { expires_at: "2026-01-01T00:00:00Z" }),
      link("used", { max_uses: 1, current_uses: 1 }),
      link("open", { amount: null }),
      link("priced"),
    ];
    const now = Date.parse("2026-01-15T09:00:00Z");
    expect(firstChoice(links, now)).toMatchObject({ id: "priced" });
    expect(firstChoice(links.slice(0, 3), now)).toMatchObject({ id: "open" });
    expect(firstChoice([], now)).toBeUndefined();
  });
});
