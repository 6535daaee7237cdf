import { Type } from "typebox";
import { expect, test } from "vitest";
import { columnsOf as writableOf } from "../../src/payments/patch.ts";
import { AREAS, formOf } from "../../src/sandbox/areas.ts";
import { folderOf } from "../support/cli.ts";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";

/**
 * Lists every column of every table, so each new column needs a decision: what an export does with it, and which values
 * it may have in a foreign snapshot. A failure says which list in this file lacks the column.
 */
function columnsOf({ sandbox }: TestSandbox): { table: string; column: string; type: string }[] {
  return sandbox.world.store
    .sql<{ table: string; column: string; type: string }>(
      `select m.name as "table", c.name as "column", lower(c.type) as type
       from sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' and m.name not like 'sqlite%' order by m.name, c.cid`,
    )
    .all();
}

const valuesOf = ({ sandbox }: TestSandbox, table: string, column: string): unknown[] =>
  sandbox.world.store
    .sql<{ value: unknown }>(`select "${column}" as value from "${table}" order by 1`)
    .all()
    .map(({ value }) => value);

/** What an export leaves out: whole tables or single columns, with the reason. */
const NOT_EXPORTED: Record<string, string> = {
  audit_events: "it says what was done in this world",
  clock: "fixtures say when a world starts; the wall time is that of the machine",
  data_cache: "it is made again from the providers",
  faults: "they are set for a test, not data",
  game_activities: "they say what was done in this world",
  game_notifications: "they say what was done in this world",
  game_play_sessions: "they say what was done in this world",
  game_request_nonces: "they say what was done in this world",
  game_rule_runs: "they say what was done in this world",
  game_rule_stats: "they say what was done in this world",
  game_sessions: "tokens are minted again",
  game_sign_ins: "they last 15 minutes",
  idempotency_keys: "they say what was done in this world",
  inbox_behaviours: "they are set for a test, not data",
  inbox_messages: "they say what was sent in this world",
  journal: "it says what was done in this world",
  mail: "it says what was sent in this world",
  random: "another world draws for itself, and never an id that a file brought",
  sender_calls: "they say what was called in this world",
  webhook_deliveries: "they say what was sent in this world",
  webhook_events: "they say what was sent in this world",
  webhook_plans: "they say what was sent in this world",
  webhook_senders: "fixtures list endpoints of the platform",
  widget_views: "fixtures have no widgets",
  widgets: "fixtures have no widgets",
  "checkout_sessions.widget_id": "fixtures have no widgets",
  "game_items.id": "nothing names an item, so its id is drawn again",
  "webhooks.deleted_at": "a deleted endpoint is not exported",
  "webhooks.first_failed_at": "only senders of files disable by it",
};

test("each exported column preserves its values, and every other column has a reason in NOT_EXPORTED", async () => {
  const seeded = await startSandbox({ seed: "sandglass" });
  const fixtures: Json = (await seeded.control("GET", "/export")).body;
  const wallet = (digit: string) => `0x${digit.repeat(40)}`;
  // Add the kinds of rows that the default seed lacks.
  fixtures.organizations[0].notifications.telegram_chat_id = "7";
  fixtures.discount_codes[0].min_order_amount = "5";
  fixtures.webhooks[0].confined_to = "192.0.2.9";
  fixtures.webhooks[0].headers = { "X-Team": "payments" };
  fixtures.holdings = [
    { address: wallet("1"), chain_id: 10, tokens: [{ value: "5", token: { address: wallet("2") } }] },
  ];
  fixtures.tokens = [{ chain_id: 1, token_address: wallet("3"), symbol: "MINE" }];
  const startFrom = (json: Json) =>
    startSandbox({ seed: undefined as never, from: folderOf({ "world.json": JSON.stringify(json) }) });
  const first = await startFrom(fixtures);
  const second = await startFrom((await first.control("GET", "/export")).body);

  const isLeftOut = (table: string, column: string) =>
    table in NOT_EXPORTED || `${table}.${column}` in NOT_EXPORTED;
  for (const { table, column } of columnsOf(first).filter(({ table, column }) => !isLeftOut(table, column))) {
    const place = `${table}.${column}: export it, or give a reason in NOT_EXPORTED`;
    const values = valuesOf(first, table, column);
    expect(
      values.some((value) => value !== null),
      `${place}; no row of this test has a value`,
    ).toBe(true);
    expect(valuesOf(second, table, column), place).toEqual(values);
  }
  const places = columnsOf(first).flatMap(({ table, column }) => [table, `${table}.${column}`]);
  expect(Object.keys(NOT_EXPORTED).filter((place) => !places.includes(place))).toEqual([]);
});

/** Text columns without a rule in `rowRules`, and why they may contain any text. */
const ANY_TEXT: Record<string, string> = {
  "checked with its table, in world/snapshot.ts": `
    clock.mode faults.target journal.data random.drawn timers.kind timers.key timers.payload world.seed
  `,
  "its own id, which any text is": `
    game_activities.id game_best_scores.id game_channels.id game_games.id game_items.id game_messages.id
    game_notifications.id game_players.id game_scores.id game_sessions.id game_states.id organizations.id
  `,
  "an id or a name of another row, which may be gone: then nothing is found": `
    api_keys.org audit_events.org audit_events.resource_id checkout_sessions.org
    checkout_sessions.payment_link_id checkout_sessions.discount_code checkout_sessions.transaction_id
    checkout_sessions.widget_id customers.org discount_codes.org discount_codes.payment_link_id
    game_activities.game game_activities.player game_activities.event_id game_best_scores.game
    game_best_scores.player game_channels.game game_items.game game_items.player game_messages.channel
    game_messages.sender game_notifications.game game_notifications.player game_participants.channel
    game_participants.player game_play_sessions.game game_play_sessions.player game_play_sessions.session
    game_request_nonces.game game_rule_runs.game game_rule_runs.player game_scores.game game_scores.player
    game_sessions.game game_sessions.player game_sessions.channel game_sign_ins.channel game_sign_ins.game
    game_states.game game_states.player idempotency_keys.org inbox_behaviours.inbox inbox_messages.inbox
    mail.org mail.webhook_id notification_settings.org payment_links.org payment_links.product_id
    products.org sender_calls.sender transactions.org transactions.session_id transactions.payment_link_id
    transactions.discount_code transactions.customer_id webhook_deliveries.org
    webhook_deliveries.webhook_id webhook_deliveries.event_id webhook_deliveries.retry_of
    webhook_events.org webhook_plans.event_id webhook_plans.webhook_id webhook_senders.name
    webhook_state_changes.webhook_id webhooks.org webhooks.sender widget_views.widget_id widgets.org
    widgets.payment_link_id
  `,
  "an address or a hash, which is compared and shown": `
    api_keys.hash audit_events.ip_address checkout_sessions.token_address
    checkout_sessions.recipient_address customers.wallet_address data_cache.address data_holdings.address
    data_tokens.token_address game_players.address game_sign_ins.address game_states.cid
    idempotency_keys.fingerprint organizations.default_token_address
    organizations.default_recipient_address payment_links.token_address payment_links.recipient_address
    products.token_address transactions.token_address transactions.sender_address
    transactions.recipient_address transactions.tx_hash webhooks.confined_to
  `,
  "compared with what a caller sends": `
    api_keys.prefix checkout_sessions.client_reference_id data_cache.key discount_codes.code
    game_best_scores.nonce game_games.slug game_games.secret game_request_nonces.nonce
    game_rule_runs.trigger_name game_rule_runs.nonce game_rule_stats.rule game_rules.name
    game_scores.nonce game_sessions.token game_states.label idempotency_keys.key organizations.slug
    sender_calls.call sender_calls.idempotency_key webhooks.secret
  `,
  "of a list of words, which is counted and shown": `
    audit_events.event_type audit_events.resource_type audit_events.request_method game_channels.kind
    inbox_messages.signature journal.type sender_calls.made webhook_deliveries.event webhook_deliveries.error
    webhook_deliveries.fault webhook_plans.reason webhook_state_changes.reason widget_views.day
    widgets.widget_type
  `,
  "a body or a part of an answer, which is passed on": `
    data_cache.providers data_cache.chains idempotency_keys.body inbox_messages.body webhook_deliveries.response_body
  `,
  "a text of a person, which is shown": `
    api_keys.name audit_events.request_path checkout_sessions.customer_email
    checkout_sessions.customer_name customers.name customers.email customers.folded game_activities.text
    game_channels.name game_channels.picture game_games.name game_items.name game_messages.content
    game_notifications.message game_players.username game_players.avatar game_rule_stats.last_reason
    mail.recipient mail.subject mail.text notification_settings.email
    notification_settings.telegram_chat_id organizations.name organizations.owner_email
    organizations.description payment_links.name payment_links.name_folded payment_links.description
    products.name products.description webhook_deliveries.error_detail webhooks.description widgets.name
    widgets.description
  `,
};

test("each text column has a rule in rowRules or a reason in ANY_TEXT", async () => {
  const { json, values, drawn } = formOf(AREAS).rows;
  const ruled = new Set(Object.keys({ ...json, ...values, ...drawn }));
  const free = Object.values(ANY_TEXT).flatMap((names) => names.trim().split(/\s+/));
  // Numbers and instants are checked by the type of their column, so only text columns matter here.
  const texts = columnsOf(await startSandbox())
    .filter(({ type }) => !/^(?:integer|real)/.test(type))
    .map(({ table, column }) => `${table}.${column}`);
  expect(
    [...ruled, ...free].sort(),
    "each column of text once: in rowRules of its area.ts, or in ANY_TEXT",
  ).toEqual(texts.sort());
});

test("the compiler reports an update field that is not a column", () => {
  type Columns = readonly ("id" | "name")[];
  const update = Type.Object({ name: Type.String(), colour: Type.String() });
  // @ts-expect-error colour is not a column
  const unknown: Columns = writableOf(update);
  const known: Columns = writableOf(update, "colour");
  expect({ unknown, known }).toEqual({ unknown: ["name", "colour"], known: ["name"] });
});
