import { describe, expect, test } from "vitest";
import { SandboxError } from "../../src/errors/errors.ts";
import { folderOf } from "../support/cli.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";

const ADA = "0x1111111111111111111111111111111111111111";
const TOKEN = "0x2222222222222222222222222222222222222222";

const SHOP = `
organizations:
  - name: Corner Shop
    default_chain_id: 10
  - name: Other Shop
products:
  - name: Green tea
    amount: "2500000"
payment_links:
  - id: pl_tea
    name: Tea
    short_code: teapot
    product: Green tea
    created_at: -10d
  - name: Gift
    short_code: gift00
    organization: other-shop
discount_codes:
  - code: TEN
    discount_type: percentage
    discount_value: 10
    payment_link: teapot
webhooks:
  - url: /_sandbox/inbox/shop
    events: [payment.completed]
    secret: whsec_of_the_team
customers:
  - name: Ada
    wallet_address: ${ADA}
checkout_sessions:
  - client_reference_id: order-1
    payment_link: Tea
    created_at: -3d
  - client_reference_id: order-2
    payment_link: pl_tea
transactions:
  - session: order-1
    customer: Ada
    discount_code: TEN
  - payment_link: teapot
    customer: Ada
    status: failed
    created_at: -2d
`;

/** Starts a sandbox from files, which are given by name. */
function startWith(files: Record<string, string>, config: Json = {}): Promise<TestSandbox> {
  return startSandbox({ seed: "sandglass", from: folderOf(files), ...config });
}

async function mistakesOf(files: Record<string, string>, config: Json = {}): Promise<string> {
  const error = await startWith(files, config).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SandboxError);
  expect((error as SandboxError).code).toBe("invalid_fixtures");
  return (error as Error).message;
}

const dataOf = async (sandbox: TestSandbox, path: string): Promise<Json[]> =>
  (await sandbox.api("GET", path)).body.data;

describe("a folder of fixtures", () => {
  test("fixtures become the platform's data, with defaults and counts filled in", async () => {
    const sandbox = await startWith({ "shop.yaml": SHOP });
    const [link] = await dataOf(sandbox, "/payment-links");
    expect(link).toMatchObject({
      id: "pl_tea",
      short_code: "teapot",
      amount: "2500000",
      chain_id: 10,
      current_uses: 1,
      created_at: "2026-01-05T09:00:00.000Z",
    });
    const [discount] = await dataOf(sandbox, "/discount-codes");
    expect(discount).toMatchObject({ payment_link_id: "pl_tea", current_uses: 1 });
    const sessions = await dataOf(sandbox, "/checkout-sessions?order=asc");
    expect(sessions).toMatchObject([
      { status: "completed", created_at: "2026-01-12T09:00:00.000Z", discount_code: "TEN" },
      { status: "active", expires_at: "2026-01-15T09:30:00.000Z" },
    ]);
    const payments = await dataOf(sandbox, "/transactions?order=asc");
    expect(payments).toMatchObject([
      { amount: "2250000", sender_address: ADA, session_id: sessions[0].id, status: "completed" },
      { amount: "2500000", status: "failed", failure_reason: "reverted" },
    ]);
    const [ada, ...others] = await dataOf(sandbox, "/customers");
    expect(others).toEqual([]);
    expect(ada).toMatchObject({ transaction_count: 2, total_paid: "2250000", total_paid_usd: "2.25" });
  });

  test("fixtures with their own organizations still have the built-in keys", async () => {
    const sandbox = await startWith({ "shop.yaml": SHOP });
    const { body: status } = await sandbox.control("GET", "/status");
    expect(status.organizations.map(({ name }: Json) => name)).toEqual(["Corner Shop", "Other Shop"]);
    const other = await sandbox.api("GET", "/payment-links", { key: status.keys.other });
    expect(other.body.data).toMatchObject([{ short_code: "gift00" }]);
    expect((await sandbox.api("GET", "/payment-links", { key: status.keys.read })).status).toBe(200);
  });

  test("an organization in fixtures gets a slug derived from its name, and a wallet", async () => {
    const sandbox = await startWith({ "a.yaml": "organizations: [{name: Café Ünïted}]" });
    const { body } = await sandbox.api("GET", "/organization");
    expect(body).toMatchObject({ slug: "cafe-united", default_chain_id: 8453 });
    expect(body.default_recipient_address).toMatch(/^0x[0-9a-f]{40}$/);
  });

  test("a slug in fixtures has at most 60 characters, and no hyphen at its end", async () => {
    const [long, cut] = ["a".repeat(70), `${"b".repeat(59)} c`];
    const sandbox = await startWith({ "a.yaml": `organizations: [{name: ${long}}, {name: ${cut}}]` });
    const { keys } = (await sandbox.control("GET", "/status")).body;
    for (const [key, slug] of [
      [keys.read, "a".repeat(60)],
      [keys.other, "b".repeat(59)],
    ])
      expect((await sandbox.api("GET", "/organization", { key })).body).toMatchObject({ slug });
  });

  test("time passes and payments send webhooks in a world created from fixtures", async () => {
    const sandbox = await startWith({ "shop.yaml": SHOP });
    await sandbox.pay({ payment_link_id: "teapot" });
    expect((await sandbox.control("GET", "/inbox/shop")).body.data).toMatchObject([{ signature: "valid" }]);
    await sandbox.advance("31m");
    const sessions = await dataOf(sandbox, "/checkout-sessions");
    expect(sessions.find((one) => one.client_reference_id === "order-2")).toMatchObject({
      status: "expired",
    });
  });

  test("fixtures produce the same ids at each start and after a reset", async () => {
    const [one, two] = [await startWith({ "shop.yaml": SHOP }), await startWith({ "a.yaml": SHOP })];
    const before = await dataOf(one, "/transactions");
    expect(await dataOf(two, "/transactions")).toEqual(before);
    await one.pay({ payment_link_id: "teapot" });
    await one.control("POST", "/reset");
    expect(await dataOf(one, "/transactions")).toEqual(before);
    const other = await one.makeWorld({ name: "other" });
    expect((await other.api("GET", "/transactions")).body.data).toEqual(before);
  });

  test("a generated id skips one that a fixture already has", async () => {
    const first = await (await startWith({ "a.yaml": "products: [{name: Tea}]" })).createLink({
      name: "Tea",
    });
    const row = { id: first.id, name: "Tea", short_code: "tea000", amount: "5" };
    const sandbox = await startWith({ "a.json": JSON.stringify({ payment_links: [row] }) });
    const next = await sandbox.createLink({ name: "Coffee" });
    expect(next.id).not.toBe(first.id);
    expect((await dataOf(sandbox, "/payment-links")).map(({ id }) => id).toSorted()).toEqual(
      [first.id, next.id].toSorted(),
    );
  });

  test("fixtures can contain API keys, or just the hash of a secret key", async () => {
    const keys = [
      { name: "CI", key: "sk_team_ci_key" },
      { name: "Old", key: "sk_team_old_key", expires_at: "-1d" },
      { name: "Unknown", hash: "0".repeat(64), prefix: "sk_sandbox_abc" },
    ];
    const sandbox = await startWith({ "keys.json": JSON.stringify({ api_keys: keys }) });
    expect(
      (await sandbox.api("POST", "/products", { key: "sk_team_ci_key", body: { name: "Tea" } })).status,
    ).toBe(201);
    expect((await sandbox.api("GET", "/products", { key: "sk_team_old_key" })).body.error.code).toBe(
      "key_expired",
    );
  });

  test("fixtures can contain game launcher and chain data", async () => {
    const game = {
      games: [{ id: "the-games-id", slug: "my-game", name: "My Game", secret: "a secret of my own" }],
      players: [{ username: "ada", address: ADA }, { username: "bob" }],
      scores: [
        { player: "ada", score: 10, nonce: "first" },
        { player: ADA, score: 30, updated_at: "-1h" },
        { player: "bob", score: 20 },
      ],
      states: [{ player: "ada", state: { level: 3 } }],
      channels: [
        {
          name: "Everyone",
          participants: ["ada", { player: "bob", group: "moderator" }],
          messages: [{ content: "Welcome" }, { sender: "bob", content: "Hi" }],
        },
      ],
      rules: [
        { name: "welcome", when: "start", then: [{ item: { name: "Map" } }] },
        { name: "by id", game: "the-games-id", when: "start", then: [{ item: { name: "Lamp" } }] },
      ],
      holdings: [
        { address: ADA, chain_id: 1, tokens: [{ value: "5", token: { address: TOKEN, symbol: "MINE" } }] },
      ],
      tokens: [
        { chain_id: 1, token_address: TOKEN, symbol: "MINE", decimals: 6, price_data: { price_usd: 2 } },
      ],
    };
    const sandbox = await startWith({ "game.json": JSON.stringify(game) });
    const games = (await sandbox.control("GET", "/game/games")).body.data;
    expect(games[0]).toMatchObject({ slug: "my-game", secret: "a secret of my own" });
    const minted = (await sandbox.control("POST", "/game/tokens", { player: "ada" })).body;
    expect(minted.game.slug).toBe("my-game");
    const call = (path: string, body: Json) =>
      sandbox.call("POST", `/game/launcher/${path}`, { body: { launcherJwt: minted.token, ...body } });
    expect((await call("get-states", {})).body.states ?? (await call("get-states", {})).body).toBeTruthy();
    const board = await sandbox.call("POST", "/game/scores", {
      body: { gameId: games[0].id },
      headers: { "x-service-method": "getGameScoresLeaderboard" },
    });
    expect(board.body.leaderboard.map(({ username, score }: Json) => [username, score])).toEqual([
      ["ada", 30],
      ["bob", 20],
    ]);
    const [channel] = (await sandbox.control("GET", "/game/channels")).body.data.filter(
      ({ name }: Json) => name === "Everyone",
    );
    expect(channel).toMatchObject({ participants: ["ada", "bob"], messages: 2 });
    expect((await call("trigger-rules-engine", { trigger: "start" })).body.success).toBe(true);
    expect((await sandbox.control("GET", "/game/rules")).body.data).toMatchObject([
      { name: "welcome", game: null, fired: 1 },
      { name: "by id", game: "my-game", fired: 1 },
    ]);
    const lookup = await sandbox.call("GET", "/data/insights/v1/tokens/lookup?symbol=mine&chain_id=1");
    expect(lookup.body.data).toEqual([
      { chain_id: 1, token_address: TOKEN, symbol: "MINE", decimals: 6, price_data: { price_usd: 2 } },
    ]);
    const held = await sandbox.call("GET", `/data/explorer/addresses/${ADA}/tokens?chain_id=1`);
    expect(held.body.items).toMatchObject([{ value: "5", token: { symbol: "MINE", type: "ERC-20" } }]);
  });
});

test("a fixture's short_code can have 1 to 32 letters, digits, hyphens and underscores [fidelity: Resources › Short codes]", async () => {
  const code = "Spring-sale_2026".padEnd(32, "x");
  const sandbox = await startWith({
    "a.yaml": `payment_links: [{name: L, amount: "5", short_code: ${code}}, {name: S, short_code: "-"}]`,
  });
  expect((await sandbox.pay({ payment_link_id: code })).transaction.status).toBe("completed");
  const opened = await fetch(`${sandbox.url}/platform/pay/${code}`, { redirect: "manual" });
  expect(opened.status).toBe(303);
  const again = await startWith({ "world.json": (await sandbox.control("GET", "/export")).text });
  expect((await again.api("GET", `/payment-links?search=${code}`)).body.total_count).toBe(1);

  const make = async (short_code: string) =>
    (await sandbox.api("POST", "/payment-links", { body: { name: "T", amount: "1", short_code } })).status;
  expect([await make("Ab3xYz"), await make("Ab3xYz"), await make(code), await make("Ab3-Yz")]).toEqual([
    201, 409, 400, 400,
  ]);
  const refused = await startWith({ "a.yaml": `payment_links: [{name: L, short_code: ${code}x}]` }).catch(
    String,
  );
  expect(refused).toContain("short_code must be 1 to 32 letters, digits, hyphens and underscores");
});

describe("history in fixtures", () => {
  const links = async (files: Record<string, string>) => {
    const sandbox = await startWith(files);
    return (await sandbox.control("GET", "/status")).body.counts;
  };
  const own = "payment_links: [{name: Own, short_code: ownown}]";

  test.each([
    ["history: none", `history: none\n${own}`, 1],
    ["no history field", own, 1],
    ["history: default", `history: default\n${own}`, 22],
  ])("fixtures with %s contain the expected history", async (_what, text, atLeast) => {
    const counts = await links({ "a.yaml": text });
    expect(counts.payment_links).toBeGreaterThanOrEqual(atLeast);
    if (atLeast === 1) expect(counts).toMatchObject({ payment_links: 1, checkout_sessions: 0, players: 0 });
  });

  test("fixtures with a few days of generated history have consistent counts", async () => {
    const sandbox = await startWith({ "a.yaml": `history: 7\n${own}` });
    const transactions: Json[] = [];
    for (let page = 1, more = true; more; page += 1) {
      const { body } = await sandbox.api("GET", `/transactions?limit=100&page=${page}`);
      transactions.push(...body.data);
      more = body.has_more;
    }
    expect(transactions.length).toBeGreaterThan(20);
    for (const { created_at } of transactions) expect(created_at > "2026-01-08T08").toBe(true);
    const [customer] = await dataOf(sandbox, "/customers?sort=transaction_count&limit=1");
    expect(transactions.filter((one) => one.customer_id === customer.id)).toHaveLength(
      customer.transaction_count,
    );
    const [link] = await dataOf(sandbox, "/payment-links?sort=current_uses&limit=1");
    const done = transactions.filter((one) => one.payment_link_id === link.id && one.status === "completed");
    expect(link.current_uses).toBe(done.length);
    expect((await sandbox.control("GET", "/events")).body.data).toEqual([]);
  });
});

describe("invalid fixtures", () => {
  test("errors in fixtures are found in every part of a holding", async () => {
    const address = `0x${"1".repeat(40)}`;
    const token = { address };
    const message = await mistakesOf({
      "a.json": JSON.stringify({
        holdings: [
          {
            address,
            tokens: [{ token }, { token, value: "007" }, { token: { address, symbl: "X" } }],
          },
          {
            address,
            chain_id: 10,
            tokens: [
              { token },
              { token: { address, exchange_rate: "many" } },
              { token, token_id: "1", token_instance: { image_ur: "x" } },
            ],
          },
        ],
      }),
    });
    expect(message).toContain("holdings[0].tokens[1].value must be a whole number from 0 to 2^256 - 1");
    expect(message).toContain("holdings[0].tokens[2].token.symbl. Did you mean symbol?");
    expect(message).toContain("tokens[1].token.exchange_rate must be a decimal number as a string");
    expect(message).toContain("tokens[2].token_instance.image_ur. Did you mean image_url?");
  });

  test("all errors in fixtures are listed at once, each with file, path, value and what was expected", async () => {
    const message = await mistakesOf({
      "a.yaml": `
products:
  - name: Tea
    amount: 2500000
  - {}
payment_links:
  - name: One
    product: Tee
    recipient_address: 0x12
    short_code: "to/long"
  - name: Two
    short_code: teapot
`,
      "b.json": JSON.stringify({
        history: "some",
        payment_links: [{ name: "Three", short_code: "teapot", expires_at: "soon" }],
        webhooks: [{ url: "http://shop.example/hook", events: ["*", "payment.failed"] }],
        discount_codes: [{ code: "A", discount_type: "percentage", discount_value: 200 }],
        customer: [],
        players: [{ username: "ada" }],
        scores: [{ player: "adda", score: 1 }],
        states: [{ player: "ada" }],
      }),
    });
    const lines = message.split("\n").map((line) => line.replace(/^- \S*\/(?=[ab]\.)/, "- "));
    expect(lines[0]).toMatch(/has 14 errors:$/);
    for (const expected of [
      /^- a\.yaml: products\[0\]\.amount must be digits only, .*, not 2500000\./,
      /^- a\.yaml: products\[1\]\.name is required: a non-empty string\. Add it\./,
      /^- a\.yaml: payment_links\[0\]\.product must be the name or id of a product of the organization, not "Tee"\. Did you mean Tea\?/,
      /^- a\.yaml: payment_links\[0\]\.recipient_address must be 0x followed by 40 hexadecimal characters, not "0x12"\./,
      /^- a\.yaml: payment_links\[0\]\.short_code must be 1 to 32 letters, digits, hyphens and underscores, not "to\/long"\./,
      /^- b\.json: history must be none, default or a number of days from 1 to 30, not "some"\./,
      /^- b\.json: payment_links\[0\]\.short_code must be a value that no other row uses, not "teapot"\./,
      /^- b\.json: payment_links\[0\]\.expires_at must be a time: .*, not "soon"\./,
      /^- b\.json: webhooks\[0\]\.url must be an https URL, .*, not "http:\/\/shop\.example\/hook"\./,
      /^- b\.json: webhooks\[0\]\.events must be a list of event types or \["\*"\], not both, /,
      /^- b\.json: discount_codes\[0\]\.discount_value must be a number above 0 and at most 100/,
      /^- b\.json: there is no field customer\. Did you mean customers\?/,
      /^- b\.json: scores\[0\]\.player must be the name or id of a player, not "adda"\. Did you mean ada\?/,
      /^- b\.json: states\[0\]\.state is required: a JSON value, unless the row has text\./,
    ])
      expect(lines).toContainEqual(expect.stringMatching(expected));
  });

  test.each<[what: string, files: Record<string, string>, message: RegExp]>([
    ["broken JSON", { "a.json": "{" }, /a\.json is not valid JSON/],
    ["broken YAML", { "a.yaml": "a: [1" }, /a\.yaml is not valid YAML: .*line 1/s],
    ["a list", { "a.yaml": "- name: Tea" }, /the file must be an object of lists/],
    ["an empty folder", { "readme.txt": "" }, /There are no fixtures in/],
    [
      "a kind that is not a list",
      { "a.yaml": "products: Tea" },
      /products must be a list of objects, not "Tea"/,
    ],
    [
      "a row that is not an object",
      { "a.yaml": "products: [Tea]" },
      /products\[0\] must be an object, not "Tea"/,
    ],
    [
      "an id of another kind",
      { "a.yaml": "products: [{name: Tea, id: pl_x}]" },
      /products\[0\]\.id must be prod_/,
    ],
    [
      "a duplicate id",
      { "a.yaml": "products: [{name: Tea, id: prod_x}, {name: Two, id: prod_x}]" },
      /products\[1\]\.id must be an id that no other row has/,
    ],
    [
      "an ambiguous name",
      { "a.yaml": "products: [{name: Tea}, {name: Tea}]\npayment_links: [{name: L, product: Tea}]" },
      /product must be the id of a product of the organization, because 2 have this name/,
    ],
    [
      "an ambiguous session, which is the only error",
      {
        "a.yaml":
          'checkout_sessions: [{client_reference_id: a, amount: "1"}, {client_reference_id: a, amount: "1"}]\ntransactions: [{session: a}]',
      },
      /^[^\n]*transactions\[0\]\.session must be the id of a [^\n]*, because 2 have this name[^\n]*$/,
    ],
    [
      "a state that is not JSON, reported once and under its own name",
      { "a.yaml": "players: [{username: a}]\nstates: [{player: a, text: '{bad'}]" },
      /states\[0\]\.text must be JSON of at most 1 MiB \(Expected .*\), not "\{bad"\.(?![\s\S]*states\[0\]\.state)/,
    ],
    [
      "history in two files",
      { "a.yaml": "history: none", "b.yaml": "history: default" },
      /b\.yaml: history must be in one file alone/,
    ],
    [
      "a completed session without a transaction",
      { "a.yaml": 'checkout_sessions: [{amount: "1", status: completed}]' },
      /status must be active or expired, because no completed transaction/,
    ],
    [
      "an active session whose time has run out",
      { "a.yaml": 'checkout_sessions: [{amount: "1", status: active, created_at: -1d}]' },
      /status must be expired/,
    ],
    [
      "a short code that the generated history also uses",
      { "a.yaml": "history: default\npayment_links: [{name: L, short_code: coffee}]" },
      /short_code must be a value that no other row uses/,
    ],
    [
      "a direct channel with three participants",
      {
        "a.yaml":
          "players: [{username: a}, {username: b}, {username: c}]\nchannels: [{name: C, kind: direct, participants: [a, b, c]}]",
      },
      /participants must be a list of 2 for the kind direct/,
    ],
  ])("fixtures are rejected because of %s", async (_what, files, message) => {
    expect(await mistakesOf(files)).toMatch(message);
  });
});

test("a fixture file's startAt overrides the configuration's default, but not an explicit value", async () => {
  const files = {
    "a.yaml": "startAt: 2027-05-01T00:00:00Z\nseed: tuesday\nproducts: [{name: Tea, created_at: -1d}]",
  };
  const folder = folderOf(files);
  const nowOf = async (sandbox: TestSandbox) => (await sandbox.control("GET", "/status")).body;
  const plain = await startSandbox({ seed: undefined as never, from: folder });
  expect(await nowOf(plain)).toMatchObject({ seed: "tuesday", clock: { now: "2027-05-01T00:00:00.000Z" } });
  const named = await startSandbox({ seed: "monday", startAt: "2028-01-01", from: folder });
  expect(await nowOf(named)).toMatchObject({ seed: "monday", clock: { now: "2028-01-01T00:00:00.000Z" } });
  expect((await dataOf(named, "/products"))[0].created_at).toBe("2027-12-31T00:00:00.000Z");
});
