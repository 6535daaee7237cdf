import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Stripe from "stripe";
import { expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

const SUB = "sub_1QhLi6B7WZ01zgkWmJfd9KvQ";
const CHARGE = "ch_3QhLkPB7WZ01zgkW1Vd7rbe4";
const CUSTOMER = "cus_RaXg1o8vlGDgPx";

/** Starts a sandbox with Stripe's API, called as Stripe's own package calls it. */
async function startStripe() {
  const sandbox = await startSandbox({ senders: ["stripe"] });
  const { hostname, port } = new URL(sandbox.url);
  const to = (url: string | URL, init?: RequestInit) => {
    const { pathname, search } = new URL(url);
    return fetch(`${sandbox.url}/senders/stripe${pathname}${search}`, init);
  };
  const stripe = new Stripe("sk_test_1", {
    ...{ host: hostname, port, protocol: "http", maxNetworkRetries: 0 },
    httpClient: Stripe.createFetchHttpClient(to as typeof fetch),
  });
  const send = (type: string, object: object = {}) =>
    sandbox.control("POST", "/senders/stripe/events", { type, data: { data: { object } } });
  return { sandbox, stripe, send };
}

test("a sender's API returns the state as of the latest events, delivered or not", async () => {
  const { stripe, send } = await startStripe();
  await expect(stripe.subscriptions.retrieve(SUB)).rejects.toMatchObject({
    code: "resource_missing",
    statusCode: 404,
  });
  await send("customer.subscription.created", { status: "trialing" });
  expect((await stripe.subscriptions.retrieve(SUB)).status).toBe("trialing");
  await send("customer.subscription.updated", { status: "past_due" });
  const { status, customer, items } = await stripe.subscriptions.retrieve(SUB, {
    expand: ["customer", "items.data.price.product"],
  });
  expect({ status, customer, price: items.data[0]?.price }).toMatchObject({
    status: "past_due",
    customer: { id: CUSTOMER, email: "jenny@example.com" },
    price: { product: { name: "Starter" } },
  });
});

test("a sender's API filters its lists, and a checkout session contains its line items", async () => {
  const { stripe, send } = await startStripe();
  await send("customer.subscription.created");
  await send("customer.subscription.deleted", { id: "sub_2" });
  await send("checkout.session.completed");
  const { data, has_more } = await stripe.subscriptions.list({ customer: CUSTOMER, limit: 1 });
  expect({ ids: data.map(({ id }) => id), has_more }).toEqual({ ids: [SUB], has_more: false });
  const all = await stripe.subscriptions.list({ customer: CUSTOMER, status: "all", limit: 1 });
  expect({ ids: all.data.map(({ id }) => id), more: all.has_more }).toEqual({ ids: ["sub_2"], more: true });
  expect((await stripe.subscriptions.list({ customer: "cus_other" })).data).toEqual([]);
  const [session] = (await stripe.checkout.sessions.list()).data;
  const items = await stripe.checkout.sessions.listLineItems(session!.id);
  expect(items.data).toMatchObject([{ description: "Starter", price: { unit_amount: 2000 } }]);
  const whole = await stripe.checkout.sessions.retrieve(session!.id, { expand: ["line_items"] });
  expect(whole.line_items?.data).toEqual(items.data);
});

test("a write to a sender's API changes later reads, even after an event that changes other fields", async () => {
  const { stripe, send } = await startStripe();
  await send("customer.subscription.created");
  const updated = await stripe.subscriptions.update(SUB, {
    cancel_at_period_end: true,
    metadata: { note: "1.10" },
  });
  expect(updated).toMatchObject({ cancel_at_period_end: true, metadata: { note: "1.10" } });
  await send("customer.subscription.created", { status: "past_due" });
  expect(await stripe.subscriptions.retrieve(SUB)).toMatchObject({
    status: "past_due",
    metadata: { note: "1.10" },
  });
  await stripe.subscriptions.cancel(SUB);
  expect((await stripe.subscriptions.retrieve(SUB)).status).toBe("canceled");
});

test("a refund changes its charge once per idempotency key, and Stripe rejects more than was paid", async () => {
  const { stripe, send, sandbox } = await startStripe();
  await send("charge.succeeded");
  const part = { charge: CHARGE, amount: 500 };
  const [one, same] = [
    await stripe.refunds.create(part, { idempotencyKey: "a" }),
    await stripe.refunds.create(part, { idempotencyKey: "a" }),
  ];
  expect(same).toEqual(one);
  await expect(stripe.refunds.create({ charge: CHARGE }, { idempotencyKey: "a" })).rejects.toMatchObject({
    statusCode: 400,
  });
  expect((await stripe.refunds.create(part)).id).not.toBe(one.id);
  expect(await stripe.charges.retrieve(CHARGE)).toMatchObject({ amount_refunded: 1000, refunded: false });
  await expect(stripe.refunds.create({ charge: CHARGE })).rejects.toMatchObject({
    code: "charge_already_refunded",
  });
  // The API's data is part of the world, so an undo reverts it.
  const { body } = await sandbox.control("POST", "/snapshots", { name: "before" });
  expect(body).toBeDefined();
  await stripe.refunds.create({ charge: CHARGE, amount: 1000 });
  expect((await stripe.charges.retrieve(CHARGE)).refunded).toBe(true);
  await sandbox.control("POST", "/snapshots/before/restore");
  expect((await stripe.charges.retrieve(CHARGE)).refunded).toBe(false);
});

test.each<[sender: string, type: string, calls: [call: string, status: number, answer: object][]]>([
  [
    "github",
    "pull_request",
    [
      ["POST /app/installations/7/access_tokens", 201, { repository_selection: "all" }],
      ["GET /repos/octocat/hello/pulls/3?ref=main", 200, { number: 3 }],
      [
        "GET /repos/octocat/hello",
        200,
        {
          full_name: "octocat/hello",
          url: expect.stringMatching(/^http:\S+\/senders\/github\/repos\/octocat/),
        },
      ],
      ["GET /repos/octocat/hello/actions/workflows", 200, { workflows: [{ name: "Build" }] }],
      ["GET /repos/octocat/hello/contents/README.md", 200, { type: "file", encoding: "base64" }],
      ["GET /repos/octocat/hello/contents/.github/acme.yml", 404, { message: "Not Found" }],
      ["POST /repos/octocat/hello/issues/3/comments", 201, { issue_number: "3" }],
      ["GET /repos/octocat/hello/issues/3/comments", 200, [{ issue_number: "3" }]],
    ],
  ],
  [
    "slack",
    "app_mention",
    [
      ["POST /api/auth.test", 200, { ok: true, bot_id: "B0LAN0Z89" }],
      [
        "POST /api/chat.postMessage?text=Hi&token=xoxb-1",
        200,
        { ok: true, message: expect.not.objectContaining({ token: expect.anything() }) },
      ],
      ["POST /api/nothing", 200, { ok: false, error: "unknown_method" }],
    ],
  ],
  ["clerk", "user.updated", [["GET /v1/users/user_29w83sxmDNGwOuEthce5gg56FcC", 200, { object: "user" }]]],
  [
    "paddle",
    "subscription.created",
    [
      ["GET /subscriptions/sub_01hv8x29kz0t586xy6zn1a62ny", 200, { data: { status: "active" } }],
      ["GET /customers/ctm_none", 404, { error: { code: "not_found", detail: "Entity ctm_none not found" } }],
      ["GET /products/pro_01gsz4t5hdjse780zja8vvr7jg", 200, { data: { name: "Starter" } }],
      [
        "GET /prices?product_id=pro_01gsz4t5hdjse780zja8vvr7jg&per_page=1",
        200,
        { data: [{ unit_price: { amount: "2000" } }], meta: { pagination: { has_more: false } } },
      ],
    ],
  ],
  [
    "square",
    "order.updated",
    [
      [
        "GET /v2/orders/03O3USaPaAaFnI6kkwB1JxGgBsUZY",
        200,
        { order: { state: "COMPLETED", version: 2, line_items: [{ name: "Starter" }] } },
      ],
      ["GET /v2/payments/none", 404, { errors: [{ code: "NOT_FOUND" }] }],
      ["POST /v2/refunds?idempotency_key=a&payment_id=none", 200, { refund: { status: "PENDING" } }],
    ],
  ],
  [
    "mollie",
    "payment.paid",
    [
      [
        "GET /v2/payments/tr_5B8cwPMGnU6qLbRvo7qEZo",
        200,
        { status: "paid", paidAt: expect.any(String), amount: {} },
      ],
    ],
  ],
  [
    "plaid",
    "ERROR",
    [
      [
        "POST /item/get",
        200,
        { item: { error: { error_code: "ITEM_LOGIN_REQUIRED" }, institution_id: "ins_109508" } },
      ],
      ["POST /transactions/sync?count=1", 200, { added: [{ merchant_name: "Acme Books" }], has_more: true }],
      [
        "POST /transactions/sync?cursor=lPNjeW1nR6CDn5okmGQ6hEpMo4lLNoSrzqDje",
        200,
        {
          added: [{ merchant_name: "Corner Bakery" }],
          ...{ has_more: false, next_cursor: "yhnUVvtcGGcCKU0bcz8PDQr5ZUxUXebUvbKC0" },
        },
      ],
    ],
  ],
  [
    "lemonsqueezy",
    "subscription_created",
    [
      [
        "PATCH /v1/subscriptions/599413?data[attributes][cancelled]=true",
        200,
        { data: { attributes: { cancelled: true, user_email: "jenny@example.com" } } },
      ],
    ],
  ],
  [
    "resend",
    "email.bounced",
    [
      ["GET /emails/56761188-7520-42d8-8898-ff6fc54ce618", 200, { last_event: "bounced", object: "email" }],
      ["POST /emails?subject=Hi", 200, { id: expect.any(String) }],
      ["PATCH /contacts/e169aa45-1ecf-4183-9955-b1499d5701d3?unsubscribed=true", 200, { object: "contact" }],
    ],
  ],
])("the API of %s supports the calls that its handlers make most often", async (sender, type, calls) => {
  const sandbox = await startSandbox({ senders: [sender] });
  await sandbox.control("POST", `/senders/${sender}/events`, { type });
  for (const [call, status, answer] of calls) {
    const [method, path] = call.split(" ") as [string, string];
    const response = await fetch(`${sandbox.url}/senders/${sender}${path}`, { method });
    expect({ call, status: response.status, body: await response.json() }).toMatchObject({
      call,
      status,
      body: answer,
    });
  }
});

test("repeated writes with the same idempotency key in the body count as one", async () => {
  const sandbox = await startSandbox({ senders: ["square"] });
  await sandbox.control("POST", "/senders/square/events", { type: "payment.updated" });
  const refund = async (key: string) => {
    const body = JSON.stringify({ idempotency_key: key, payment_id: "hYy9pRFVxpDsO1FB05SunFWUe9JZY" });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const answer = await fetch(`${sandbox.url}/senders/square/v2/refunds`, init);
    return ((await answer.json()) as { refund: { id: string } }).refund;
  };
  const first = await refund("a");
  expect(first).toMatchObject({ location_id: "S8GWD5R9QB376" });
  expect(await refund("a")).toEqual(first);
  expect((await refund("b")).id).not.toBe(first.id);
});

test.each<[sender: string, type: string, path: string, calls: [query: string, data: object][]]>([
  [
    "linear",
    "Issue",
    "/graphql",
    [
      [
        'mutation { issueUpdate(id: "539068e2-ae88-4d09-bd75-22eb4a59612f", input: { title: "Done" }) { success issue { id } } }',
        { issueUpdate: { success: true, issue: { id: "539068e2-ae88-4d09-bd75-22eb4a59612f" } } },
      ],
      [
        "query($id: String!) { mine: issue(id: $id) { ...I } issues { nodes { title } pageInfo { hasNextPage } } } fragment I on Issue { title trashed team { key } creator { name } __typename }",
        {
          mine: { title: "Done", trashed: null, team: { key: "ACM" }, creator: { name: "Jenny Rosen" } },
          issues: { nodes: [{ title: "Done" }], pageInfo: { hasNextPage: false } },
        },
      ],
      [
        'mutation { commentCreate(input: { issueId: "a", body: "Hi" }) { comment { body } } }',
        { commentCreate: { comment: { body: "Hi" } } },
      ],
    ],
  ],
  [
    "shopify",
    "orders/paid",
    "/admin/api/2026-07/graphql.json",
    [
      [
        "query($id: ID!) { order(id: $id) { id name totalPriceSet { shopMoney { amount } } customer { email } } }",
        {
          order: {
            id: "gid://shopify/Order/820982911946154508",
            totalPriceSet: { shopMoney: { amount: expect.any(String) } },
            customer: { email: expect.any(String) },
          },
        },
      ],
      [
        'mutation { tagsAdd(id: "gid://shopify/Order/1", tags: ["vip"]) { node { id } userErrors { message } } }',
        { tagsAdd: { node: { id: "gid://shopify/Order/1" }, userErrors: [] } },
      ],
    ],
  ],
  [
    "github",
    "pull_request",
    "/graphql",
    [
      [
        '{ repository(owner: "octocat", name: "hello") { nameWithOwner databaseId id } }',
        {
          repository: {
            nameWithOwner: "octocat/hello",
            databaseId: expect.any(Number),
            id: expect.stringMatching(/\D/),
          },
        },
      ],
      [
        'mutation { addComment(input: { subjectId: "PR_1", body: "Hi" }) { commentEdge { node { body } } } }',
        { addComment: { commentEdge: { node: { body: "Hi" } } } },
      ],
    ],
  ],
])(
  "the GraphQL API of %s supports the root fields that its handlers select most often",
  async (sender, type, path, calls) => {
    const sandbox = await startSandbox({ senders: [sender] });
    await sandbox.control("POST", `/senders/${sender}/events`, { type });
    const call = async (query: string) => {
      const ids = {
        linear: "539068e2-ae88-4d09-bd75-22eb4a59612f",
        shopify: "gid://shopify/Order/820982911946154508",
      };
      const variables = { id: Object(ids)[sender] };
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query, variables }),
      };
      const answer = await fetch(`${sandbox.url}/senders/${sender}${path}`, init);
      return (await answer.json()) as { data: object; errors?: object[] };
    };
    for (const [query, data] of calls) {
      const answer = await call(query);
      expect(answer).toMatchObject({ data });
      expect(answer.errors).toBeUndefined();
    }
    expect(await call("{ nothing { id } }")).toEqual({
      data: { nothing: null },
      errors: [{ message: "Field 'nothing' doesn't exist.", path: ["nothing"] }],
    });
    expect(await call("{ nothing")).toMatchObject({
      errors: [{ message: expect.stringMatching(/Syntax Error/) }],
    });
  },
);

test("a sender's API rejects calls from websites and from other host names", async () => {
  const { sandbox } = await startStripe();
  const call = (headers: Record<string, string>) =>
    fetch(`${sandbox.url}/senders/stripe/v1/customers`, { headers });
  expect((await call({ origin: "https://evil.example" })).status).toBe(403);
  expect((await call({})).status).toBe(200);
});

test.each<[what: string, lines: string, words: string]>([
  ["a call without a path", "reads: { GET v1: order }", "must be named by a method and a path"],
  ["a rule that does two things", "reads: { GET /a: { one: order, list: order } }", "one of one and list"],
  ["an unknown field", "reeds: {}", "there is no field api.reeds"],
  ["an invalid address", "base: acme", "must be the address of the API"],
])("the sandbox rejects a sender's file with %s in its API", async (_what, lines, words) => {
  const folder = folderOf();
  const base = lines.startsWith("base") ? "" : "  base: https://api.acme.com\n";
  writeFileSync(
    join(folder, "acme.yaml"),
    `name: acme\nevents: { order.paid: { body: { id: ev_1, type: order.paid } } }\nsignature: { header: "A: {signature}" }\napi:\n${base}  ${lines}\n`,
  );
  const { readSender } = await import("../../src/senders/files.ts");
  await expect(readSender("./acme.yaml", folder)).rejects.toMatchObject({
    message: expect.stringContaining(words),
  });
});

test("Stripe's API returns events, the objects that thin events refer to, and billing portal sessions", async () => {
  const { stripe, sandbox, send } = await startStripe();
  const { body: paid } = await send("invoice.paid", { number: "A-1" });
  const read = await stripe.events.retrieve(paid.body.id);
  expect(read).toMatchObject({ type: "invoice.paid", data: { object: { number: "A-1" } } });
  const { body: thin } = await sandbox.control("POST", "/senders/stripe/events", {
    type: "v1.billing.meter.error_report_triggered",
  });
  expect(thin.body.created).toMatch(/^\d{4}-\d\d-\d\dT/);
  const { id, related_object: meter } = thin.body;
  expect(await stripe.v2.core.events.retrieve(id)).toMatchObject({ id, related_object: meter });
  expect(await stripe.billing.meters.retrieve(meter.id)).toMatchObject({ event_name: "api_calls" });
  const session = await stripe.billingPortal.sessions.create({
    customer: CUSTOMER,
    return_url: "https://a.example",
  });
  expect(session).toMatchObject({ customer: CUSTOMER, return_url: "https://a.example" });
});
