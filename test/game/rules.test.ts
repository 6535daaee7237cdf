import { expect, test } from "vitest";
import { expectGameError, startGame, TIDE, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

type Game = Awaited<ReturnType<typeof startGame>>;
const happened = async (game: Game, types = "rule.*") =>
  (await game.journal(types)).map(({ type, data }) => ({ type, ...(data as Json) }));

test("a rule that fires performs its actions and reports them [fidelity: Game launcher: resources › Rules · Game launcher: resources › Trigger]", async () => {
  const game = await startGame({
    rules: [
      {
        name: "boss",
        when: "boss-defeated",
        if: { value: { gte: 100 } },
        then: [
          {
            activity: {
              displayText: "{username} beat the boss of {game} with {value} ({trigger})",
              type: "on-chain",
            },
          },
          { score: { value: "value" } },
          { message: { content: "{username}: {value}" } },
          { item: { name: "Trophy of {username}", quantity: "value" } },
          { notification: { message: "Well done.", type: "success" } },
        ],
      },
    ],
  });
  const { ok, player } = await game.mint();
  const answer = await ok("triggerRulesEngine", { trigger: "boss-defeated", value: 120, nonce: "fight-7" });
  expect(answer).toEqual({
    success: true,
    triggerUuid: expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ),
    actions: ["activity", "score", "message", "item", "notification"],
  });
  const { data } = (await game.call("GET", "/game/activities")).body.result;
  const name = player.username;
  expect(data.map(({ type, displayText }: Json) => [type, displayText])).toEqual([
    ["on-chain", `${name} received 120 × Trophy of ${name}`],
    ["on-chain", `${name} beat the boss of Lantern Keeper with 120 (boss-defeated)`],
  ]);
  expect((await ok("getUserScores")).scores).toMatchObject([{ score: 120, nonce: "fight-7" }]);
  const [channel] = (await ok("getMessageChannels")).data;
  const messages = await ok("getChannelMessages", { channelId: channel._id });
  expect(messages.data).toMatchObject([{ content: `${name}: 120`, senderId: channel.gameId }]);
  expect(await happened(game)).toEqual([
    {
      type: "rule.fired",
      rule: "boss",
      trigger: "boss-defeated",
      game: "lantern-keeper",
      player: name,
      value: 120,
      actions: answer.actions,
    },
  ]);
});

test.each([
  [{ gte: 10 }, { 9: "at least 10", 10: "", 11: "" }],
  [{ gt: 10 }, { 10: "above 10", 11: "" }],
  [{ lte: 10 }, { 10: "", 11: "at most 10" }],
  [{ lt: 10 }, { 9: "", 10: "below 10" }],
  [{ eq: 10 }, { 9: "exactly 10", 10: "" }],
  [
    { gt: 0, lt: 10 },
    { 0: "above 0", 5: "", 10: "below 10" },
  ],
])(
  "a rule with the condition %j fires, or records why not [fidelity: Game launcher: resources › Rules]",
  async (value, cases) => {
    const game = await startGame({
      rules: [{ name: "r", when: "go", if: { value }, then: [{ notification: { message: "hi" } }] }],
    });
    const { ok } = await game.mint();
    for (const [given, reason] of Object.entries(cases)) {
      const { actions } = await ok("triggerRulesEngine", { trigger: "go", value: Number(given) });
      expect(actions, given).toEqual(reason === "" ? ["notification"] : []);
      const last = (await happened(game)).at(-1);
      if (reason === "") expect(last.type).toBe("rule.fired");
      else
        expect(last).toMatchObject({ type: "rule.skipped", reason: `value must be ${reason}, not ${given}` });
    }
    await ok("triggerRulesEngine", { trigger: "go" });
    expect((await happened(game)).at(-1)).toMatchObject({
      type: "rule.skipped",
      reason: expect.stringContaining("the trigger has none"),
    });
  },
);

test("a trigger without a matching rule succeeds, does nothing and is recorded as unmatched [fidelity: Game launcher: resources › Rules · Game launcher: resources › Trigger]", async () => {
  const game = await startGame({
    rules: [
      { name: "elsewhere", game: "tide-runners", when: "go", then: [{ notification: { message: "hi" } }] },
      { name: "by id", game: TIDE, when: "go", then: [{ activity: { displayText: "hi" } }] },
      { name: "other", when: "Go", then: [{ notification: { message: "hi" } }] },
    ],
  });
  const { ok } = await game.mint();
  expect((await ok("triggerRulesEngine", { trigger: "go", value: 1 })).actions).toEqual([]);
  expect(await happened(game)).toMatchObject([{ type: "rule.unmatched", trigger: "go", value: 1 }]);
  const tide = await game.mint({ gameId: TIDE });
  expect((await tide.ok("triggerRulesEngine", { trigger: "go" })).actions).toEqual([
    "notification",
    "activity",
  ]);
});

test("a trigger with the same nonce runs once per player [fidelity: Game launcher: resources › Rules]", async () => {
  const game = await startGame({
    rules: [{ name: "r", when: "go", then: [{ activity: { displayText: "{username}" } }] }],
  });
  const [ada, bo] = [await game.mint(), await game.mint({ address: wallet("b") })];
  const trigger = { trigger: "go", nonce: "n", value: 1 };
  const answers = await Promise.all(Array.from({ length: 10 }, () => ada.ok("triggerRulesEngine", trigger)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(await happened(game, "activity.added")).toHaveLength(1);
  expect((await happened(game)).filter(({ type }) => type === "rule.repeated")).toHaveLength(9);
  await bo.ok("triggerRulesEngine", trigger);
  await ada.ok("triggerRulesEngine", { ...trigger, nonce: "m" });
  await ada.ok("triggerRulesEngine", { ...trigger, nonce: undefined });
  await ada.ok("triggerRulesEngine", { ...trigger, nonce: undefined });
  expect(await happened(game, "activity.added")).toHaveLength(5);
});

test("a failed action records its reason, and the rule's other actions still run", async () => {
  const game = await startGame({
    rules: [
      {
        name: "r",
        when: "go",
        then: [
          { message: { channel: "no such channel", content: "x" } },
          { score: { value: "value" } },
          { item: { name: "Half", quantity: "value" } },
          { payment: { link: "coffee", amount: "value" } },
          { notification: { message: "done" } },
        ],
      },
    ],
  });
  const { ok } = await game.mint();
  expect((await ok("triggerRulesEngine", { trigger: "go" })).actions).toEqual(["notification"]);
  const reasons = (await happened(game, "rule.action_failed")).map(({ reason }) => reason);
  expect(reasons).toEqual([
    "Lantern Keeper has no channel 'no such channel'",
    expect.stringContaining("the trigger has none"),
    expect.stringContaining("the trigger has none"),
    expect.stringContaining("the trigger has none"),
  ]);
  expect((await ok("triggerRulesEngine", { trigger: "go", value: 0.5 })).actions).toEqual([
    "score",
    "notification",
  ]);
  const { _id } = await ok("createMessageChannel", {
    otherParticipants: [(await game.mint({ address: wallet("b") })).player.address],
    name: "no such channel",
  });
  expect((await ok("triggerRulesEngine", { trigger: "go", value: 2 })).actions).toContain("message");
  expect((await ok("getChannelMessages", { channelId: _id })).total).toBe(1);
});

test("an invalid trigger is rejected", async () => {
  const game = await startGame();
  const { call, token } = await game.mint();
  const refused: [Json, string][] = [
    [{}, "trigger"],
    [{ trigger: "" }, "trigger"],
    [{ trigger: 5 }, "trigger"],
    [{ trigger: "x".repeat(201) }, "1 to 200"],
    [{ trigger: "go", value: "5" }, "value must be a number"],
    [{ trigger: "go", value: null }, "value must be a number"],
    [{ trigger: "go", nonce: "" }, "nonce"],
    [{ trigger: "go", nonce: 5 }, "nonce"],
  ];
  for (const [body, says] of refused)
    expectGameError(await call("triggerRulesEngine", body), "BadRequest", says);
  const huge = { body: `{"launcherJwt":"${token}","trigger":"go","value":1e400}` };
  expectGameError(
    await game.call("POST", "/game/launcher/trigger-rules-engine", huge),
    "BadRequest",
    "not Infinity",
  );
});

test("a missing trigger value leaves no gap in a rule's text", async () => {
  const game = await startGame({
    rules: [
      {
        name: "level",
        when: "level-complete",
        then: [{ activity: { displayText: "Level {value} of {game}" } }],
      },
    ],
  });
  const { ok } = await game.mint();
  await ok("triggerRulesEngine", { trigger: "level-complete" });
  const { data } = (await game.call("GET", "/game/activities")).body.result;
  expect(data[0].displayText).toBe("Level of Lantern Keeper");
});
