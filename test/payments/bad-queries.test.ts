import { beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS, fill, makeOneOfEach } from "../support/endpoints.ts";
import { expectError } from "../support/platform-errors.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();
let ids: Record<string, string>;
beforeAll(async () => {
  ids = await makeOneOfEach(sandbox);
});

const lists = ENDPOINTS.filter(({ list }) => list !== undefined);

/** Queries that every list rejects: the query, the invalid parameter, and the limit that the message mentions. */
const PAGING: [query: string, param: string, says?: string | number][] = [
  ["page=0", "page", 1],
  ["page=-1", "page", 1],
  ["page=abc", "page", 1],
  ["page=1.5", "page"],
  ["page=1e2", "page"],
  ["page=", "page"],
  ["page=%201", "page"],
  ["page=0x1", "page"],
  ["page=1000000001", "page", 1_000_000_000],
  ["page=99999999999999999999", "page", 1_000_000_000],
  ["page=1&page=2", "page"],
  ["page=1&page=1", "page"],
  ["limit=0", "limit", 100],
  ["limit=101", "limit", 100],
  ["limit=1.5", "limit", 100],
  ["limit=-5", "limit", 100],
  ["limit=ten", "limit", 100],
  ["limit=", "limit", 100],
  ["limit=%00", "limit"],
  ["limit=1&limit=2", "limit"],
];
const SORTING: typeof PAGING = [
  ["sort=unknown", "sort", "created_at"],
  ["sort=", "sort", "created_at"],
  ["sort=CREATED_AT", "sort"],
  ["sort=created_at;drop", "sort"],
  ["sort=created_at,id", "sort"],
  ["sort=created_at&sort=created_at", "sort"],
  ["order=up", "order", "asc, desc"],
  ["order=ASC", "order", "asc, desc"],
  ["order=", "order"],
  ["order=asc&order=desc", "order"],
];

test("every list rejects invalid pages, sorts and orders [fidelity: Payments platform › Lists · API › List parameters]", async () => {
  for (const { path, list } of lists) {
    const queries = list === "events" ? PAGING : [...PAGING, ...SORTING];
    // All lists use the same code for queries, so one list of each kind gets all of them.
    const isSample = path === "/events" || path === "/payment-links";
    for (const [query, param, says] of isSample ? queries : queries.filter((_, index) => index % 6 === 0)) {
      const answer = await sandbox.api("GET", `${fill(path, ids)}?${query}`);
      expectError(answer, "invalid_field_value", { param, says }, `${path}?${query}`);
    }
    const head = await sandbox.api("HEAD", `${fill(path, ids)}?page=0`);
    expect({ status: head.status, text: head.text }).toEqual({ status: 400, text: "" });
  }
});

const SORTS: Record<string, string[]> = {
  "/payment-links": ["created_at", "updated_at", "name", "current_uses"],
  "/payment-links/{payment_link_id}/sessions": ["created_at", "updated_at", "expires_at"],
  "/checkout-sessions": ["created_at", "updated_at", "expires_at"],
  "/transactions": ["created_at", "updated_at", "completed_at"],
  "/products": ["created_at", "updated_at"],
  "/discount-codes": ["created_at", "updated_at"],
  "/customers": ["created_at", "updated_at", "last_payment_at", "total_paid", "transaction_count"],
  "/customers/{id}/transactions": ["created_at", "updated_at", "completed_at"],
  "/widgets": ["created_at", "updated_at", "current_views"],
  "/webhooks": ["created_at", "updated_at"],
  "/webhooks/{webhook_id}/deliveries": ["created_at"],
  "/api-keys": ["created_at", "updated_at"],
};

test("each list sorts only by its own fields [fidelity: Payments platform › Payment links · API › Sorts]", async () => {
  const fields = new Set([...Object.values(SORTS).flat(), "id", "org", "name_folded", "secret", "hash"]);
  for (const { path } of lists.filter(({ list }) => list === "generic")) {
    for (const sort of fields) {
      const answer = await sandbox.api("GET", `${fill(path, ids)}?sort=${sort}`);
      if (SORTS[path]!.includes(sort)) expect(answer.status, `${path} by ${sort}`).toBe(200);
      else expectError(answer, "invalid_field_value", { param: "sort", says: SORTS[path]!.join(", ") }, path);
    }
  }
});

describe("list filters", () => {
  const cases: [path: string, query: string, param: string, says?: string | number][] = [
    ...["/payment-links", "/products", "/discount-codes", "/widgets"].flatMap((path) =>
      ["maybe", "", "1", "TRUE", "true&active=true"].map((value): [string, string, string] => [
        path,
        `active=${value}`,
        "active",
      ]),
    ),
    ["/payment-links", `search=${"x".repeat(201)}`, "search", 200],
    ["/payment-links", "search=a&search=b", "search"],
    ["/customers", `search=${"x".repeat(201)}`, "search", 200],
    ...["", "1y", "30D", "30", "all&period=all"].map((value): [string, string, string] => [
      "/analytics/overview",
      `period=${value}`,
      "period",
    ]),
    ...["0", "366", "1.5", "month", "", "7&days=7"].map((value): [string, string, string] => [
      "/widgets/{id}/stats",
      `days=${value}`,
      "days",
    ]),
    ...["/transactions/export", "/customers/export"].flatMap((path): [string, string, string, string?][] => [
      [path, "format=xml", "format", "csv, json"],
      [path, "format=", "format", "csv, json"],
      [path, "from=yesterday", "from", "ISO 8601"],
      [path, "to=2026-02-30", "to", "ISO 8601"],
      [path, "from=-1", "from", "ISO 8601"],
      [path, "to=999999999999999", "to", "ISO 8601"],
      [path, "from=2026-01-02&to=2026-01-01", "to", "before"],
    ]),
    ...["bogus", "ACTIVE", "active,expired"].flatMap((value): [string, string, string, string][] => [
      ["/checkout-sessions", `status=${value}`, "status", "active, completed, expired"],
      [
        "/payment-links/{payment_link_id}/sessions",
        `status=${value}`,
        "status",
        "active, completed, expired",
      ],
    ]),
    ["/checkout-sessions", "payment_link_id=", "payment_link_id", 64],
    ...["0", "-1", "1.5", "eth", "", "1152921504606846976", "8453&chain_id=1"].map(
      (value): [string, string, string] => ["/transactions", `chain_id=${value}`, "chain_id"],
    ),
    ["/transactions", `status=${"x".repeat(65)}`, "status", 64],
    ["/transactions", "session_id=", "session_id"],
    ["/webhooks/{webhook_id}/deliveries", "status=bogus", "status", "pending, success, failed"],
    ...["from", "to"].flatMap((name) =>
      ["", "yesterday", "2026-02-30", "1768467600000", "2026-01-15T09:00:00+01:00"].map(
        (value): [string, string, string] => ["/events", `${name}=${value}`, name],
      ),
    ),
    ["/events", `type=${"x".repeat(65)}`, "type", 64],
  ];

  test("list filters reject invalid values [fidelity: API › List parameters]", async () => {
    for (const [path, query, param, says] of cases) {
      const answer = await sandbox.api("GET", `${fill(path, ids)}?${query}`);
      expectError(answer, "invalid_field_value", { param, says }, `${path}?${query}`);
    }
  });

  test("a list ignores the filters of other lists", async () => {
    for (const query of [
      "/widgets?chain_id=5",
      "/payment-links/{payment_link_id}/sessions?payment_link_id=pl_1&session_id=cs_1",
      "/checkout-sessions?chain_id=5",
      "/events?order=asc&sort=id",
      "/events?sort=nope,(select+1)--",
      "/webhooks/{webhook_id}/deliveries?webhook_id=wh_1",
    ]) {
      const [path, ignored] = fill(query, ids).split("?");
      const { body: all } = await sandbox.api("GET", path!);
      expect(all.data.length, path).toBeGreaterThan(0);
      const answer = await sandbox.api("GET", `${path}?${ignored}`);
      expect({ query, status: answer.status, body: answer.body }).toEqual({ query, status: 200, body: all });
    }
  });

  test("an unknown transaction status, event type or id matches nothing [fidelity: API › List parameters]", async () => {
    for (const query of [
      "/transactions?status=bogus",
      "/transactions?chain_id=9007199254740991",
      "/transactions?payment_link_id=pl_nobody",
      "/checkout-sessions?payment_link_id=%25",
      "/webhooks/{webhook_id}/deliveries?event=payment.refunded",
      "/payment-links?page=1000000000",
      "/payment-links?search=no%20such%20name",
    ]) {
      const answer = await sandbox.api("GET", fill(query, ids));
      expect({ status: answer.status, data: answer.body.data }, query).toEqual({ status: 200, data: [] });
    }
    const events = await sandbox.api("GET", "/events?type=payment_link.exploded");
    expect(events.body).toMatchObject({ data: [], pagination: { total: 0, total_pages: 0 } });
  });
});

describe("list searches", () => {
  test("a search treats %, _, quotes, backslashes, NUL and regular expressions literally", async () => {
    const names = [
      "100% wool",
      "under_score",
      "it's",
      'say "hi"',
      "back\\slash",
      "nul\u0000inside",
      "a.*b",
      "50+50",
      "tab\there",
      "über-kaffee",
    ];
    for (const name of names) await sandbox.createLink({ name });
    const found = async (search: string) => {
      const answer = await sandbox.api(
        "GET",
        `/payment-links?limit=100&search=${encodeURIComponent(search)}`,
      );
      expect(answer.status).toBe(200);
      return answer.body.data.map(({ name }: { name: string }) => name);
    };
    expect(await found("%")).toEqual(["100% wool"]);
    expect(await found("_")).toEqual(["under_score"]);
    expect(await found("%_%")).toEqual([]);
    expect(await found("'")).toEqual(["it's"]);
    expect(await found('"')).toEqual(['say "hi"']);
    expect(await found("\\")).toEqual(["back\\slash"]);
    expect(await found("\u0000")).toEqual(["nul\u0000inside"]);
    expect(await found("nul\u0000in")).toEqual(["nul\u0000inside"]);
    expect(await found(".*")).toEqual(["a.*b"]);
    expect(await found("50+50")).toEqual(["50+50"]);
    expect(await found("\t")).toEqual(["tab\there"]);
    expect(await found("ÜBER-K")).toEqual(["über-kaffee"]);
    expect(await found("' or '1'='1")).toEqual([]);
    expect((await found("")).length).toBeGreaterThanOrEqual(names.length);
  });

  test("a search accepts invalid percent-encoding", async () => {
    for (const query of ["search=%ff", "search=%zz", "search=%", "search=%C3%28", "search=%ED%A0%80"]) {
      const answer = await sandbox.api("GET", `/payment-links?${query}`);
      expect({ query, status: answer.status, object: answer.body.object }).toEqual({
        query,
        status: 200,
        object: "list",
      });
    }
  });
});
