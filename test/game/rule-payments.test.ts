import { expect, test } from "vitest";
import { startGame } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

const rule = (payment: Json) => ({ rules: [{ name: "buy", when: "buy", then: [{ payment }] }] });

test("a rule pays a link, and the journal records it like any other payment [fidelity: Game launcher: resources › Rules]", async () => {
  const game = await startGame(rule({ link: "coffee" }), { seed: "sandglass" });
  const inbox = await game.createWebhook(`${game.url}/_sandbox/inbox/shop`, {
    events: ["payment.completed"],
  });
  const { ok, player } = await game.mint();
  const trigger = { trigger: "buy", nonce: "once" };
  expect((await ok("triggerRulesEngine", trigger)).actions).toEqual(["payment"]);
  await ok("triggerRulesEngine", trigger);
  const [payment, ...more] = await game.journal("rule.payment");
  expect(more).toEqual([]);
  expect(payment!.data).toEqual({
    rule: "buy",
    transaction_id: expect.stringMatching(/^txn_/),
    session_id: expect.stringMatching(/^cs_/),
    status: "completed",
  });
  const { body } = await game.api("GET", `/transactions?limit=1`);
  expect(body.data[0]).toMatchObject({
    id: payment!.data.transaction_id,
    sender_address: player.address,
    status: "completed",
  });
  const session = (await game.api("GET", `/checkout-sessions/${payment!.data.session_id}`)).body;
  expect(session.metadata).toEqual({
    game: "lantern-keeper",
    player: player.username,
    trigger: "buy",
    rule: "buy",
  });
  await game.advance("1s");
  const delivered = await game.deliveries(inbox.id);
  expect(delivered.map(({ event, status }) => [event, status])).toEqual([["payment.completed", "success"]]);
  const types = (await game.journal()).map(({ type }) => type);
  const order = [
    "game.payment_requested",
    "rule.fired",
    "payment.completed",
    "rule.payment",
    "delivery.succeeded",
  ];
  expect([...new Set(types.filter((type) => order.includes(type)))]).toEqual(order);
});

test.each([
  [{ link: "coffee", outcome: "failed" }, {}, { status: "failed" }],
  [{ link: "no-such-link" }, {}, { status: "refused", reason: "There is no payment link no-such-link." }],
  [
    { link: "coffee", amount: "1" },
    {},
    { status: "refused", reason: expect.stringContaining("amount is fixed") },
  ],
])("a rule's payment with the fields %j returns its outcome", async (payment, body, data) => {
  const game = await startGame(rule(payment), { seed: "sandglass" });
  const { ok } = await game.mint();
  expect((await ok("triggerRulesEngine", { trigger: "buy", ...body })).success).toBe(true);
  expect((await game.journal("rule.payment"))[0]!.data).toMatchObject({ rule: "buy", ...data });
});

test("a rejected payment is left out of the trigger's actions, even when the nonce is repeated", async () => {
  const payments = ["coffee", "no-such-link", "coffee"].map((link) => ({ payment: { link } }));
  const then = [...payments, { activity: { displayText: "bought" } }];
  const game = await startGame({ rules: [{ name: "buy", when: "buy", then }] } as Json, {
    seed: "sandglass",
  });
  const { ok } = await game.mint();
  for (const _ of [1, 2]) {
    const { actions } = await ok("triggerRulesEngine", { trigger: "buy", nonce: "once" });
    expect(actions).toEqual(["payment", "payment", "activity"]);
  }
  expect((await game.journal("rule.payment")).map(({ data }) => data.status)).toEqual([
    "completed",
    "refused",
    "completed",
  ]);
});

test("a rule pays the trigger's value if a link has no amount", async () => {
  // The same seed and the same calls produce the same short code.
  const { short_code: link } = await (await startGame()).createLink({ amount: null });
  const game = await startGame(rule({ link, amount: "value" }));
  await game.createLink({ amount: null });
  const { ok } = await game.mint();
  await ok("triggerRulesEngine", { trigger: "buy", value: 2_500_000 });
  expect((await game.journal("rule.payment"))[0]!.data.status).toBe("completed");
  expect((await game.api("GET", "/transactions")).body.data[0].amount).toBe("2500000");
});

test("a rule's payment fails if the wallet address has a magic ending", async () => {
  const game = await startGame(rule({ link: "coffee" }), { seed: "sandglass" });
  const { ok } = await game.mint({ address: `0x${"1".repeat(36)}beef` });
  await ok("triggerRulesEngine", { trigger: "buy" });
  const { transaction_id: id, status } = (await game.journal("rule.payment"))[0]!.data;
  expect(status).toBe("failed");
  expect((await game.api("GET", `/transactions/${id}`)).body.failure_reason).toBe("insufficient_funds");
});

test("the built-in rules work without configuration", async () => {
  const game = await startGame({ rules: undefined } as Json, { seed: "sandglass" });
  const { ok } = await game.mint({ player: "mira_lantern" });
  for (const [trigger, value, actions] of [
    ["level-complete", 4, ["activity", "notification"]],
    ["leaderboard", 9_999_999, ["score"]],
    ["boss-defeated", 99, []],
    ["boss-defeated", 100, ["item", "message"]],
    ["buy-coffee", 1, ["payment"]],
  ] as const)
    expect((await ok("triggerRulesEngine", { trigger, value })).actions, trigger).toEqual(actions);
  expect((await game.leaderboard({ gameId: "lantern-keeper", limit: 1 })).body.leaderboard[0]).toMatchObject({
    score: 9_999_999,
    username: "mira_lantern",
  });
  expect((await game.journal("rule.payment"))[0]!.data.status).toBe("completed");
});
