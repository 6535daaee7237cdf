import { expect, test } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { SandboxError } from "../../src/errors/errors.ts";
import { folderOf } from "../support/cli.ts";
import { expectGameError, startGame, wallet } from "../support/game.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { clientOf, type Json } from "../support/sandbox.ts";

const OWN = { slug: "my-game", name: "My Game", id: "my-game-id", secret: "a secret of my own" };

test("a configured game is listed first, with its id and secret", async () => {
  const game = await startGame({ games: [OWN, { slug: "second", name: "Second" }] }, { seed: "sandglass" });
  const { data } = (await game.control("GET", "/game/games")).body;
  expect(data.slice(0, 2)).toEqual([
    { ...OWN, signatures: "optional" },
    {
      slug: "second",
      name: "Second",
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      secret: "game_secret_sandbox_second",
      signatures: "optional",
    },
  ]);
  const { token: launcherJwt } = (await game.control("GET", "/status")).body.player;
  const channels = await game.call("POST", "/game/launcher/get-message-channels", { body: { launcherJwt } });
  expect(channels.body.data).toMatchObject([{ name: "My Game", gameId: "my-game-id" }]);
  const mine = await game.mint({ address: wallet("b"), gameId: "my-game" });
  await mine.ok("setUserScore", { score: 3, nonce: "n" });
  expect((await game.leaderboard({ gameId: "my-game-id" })).body.leaderboard).toHaveLength(1);
});

test("a token for a game that is no longer configured is rejected", async () => {
  const dataDir = folderOf();
  const first = await startGame({ games: [OWN] }, { dataDir });
  const { token } = await first.mint({ gameId: "my-game" });
  await first.close();
  const second = await startGame({}, { dataDir });
  const answer = await second.call("POST", "/game/launcher/channel-status", { body: { launcherJwt: token } });
  expectGameError(
    answer,
    "NotAuthenticated",
    "The game 'my-game-id' of launcherJwt does not exist in this world",
  );
});

test("players, scores and tokens in a data folder survive a restart", async () => {
  const dataDir = folderOf();
  const first = await startGame({}, { dataDir });
  const { token, ok } = await first.mint();
  await ok("setUserScore", { score: 7, nonce: "n" });
  await ok("channelHeartbeat");
  await first.close();
  const second = await startGame({}, { dataDir });
  const again = await second.call("POST", "/game/launcher/get-user-scores", { body: { launcherJwt: token } });
  expect(again.body.scores).toMatchObject([{ score: 7, nonce: "n" }]);
  const status = await second.call("POST", "/game/launcher/channel-status", { body: { launcherJwt: token } });
  expect(status.body).toMatchObject({ exists: true, present: true });
});

test("a separate port serves the game launcher at its root", async () => {
  const port = await portOfItsOwn();
  const game = await startGame({}, { ports: { game: port } });
  const { token: launcherJwt } = await game.mint();
  for (const url of [`http://127.0.0.1:${port}`, `${game.url}/w/default/game`, `${game.url}/game`]) {
    const answer = await clientOf(url).call("POST", "/launcher/", {
      body: { launcherJwt },
      headers: { "x-service-method": "channelStatus" },
    });
    expect(answer.body, url).toMatchObject({ exists: true });
  }
});

/** A configuration with one game or one rule, which is valid except for these fields. */
const aGame = (fields: Json) => ({ games: [{ slug: "x", name: "X", ...fields }] });
const aRule = (fields: Json) => ({
  rules: [{ name: "r", when: "x", then: [{ score: { value: 1 } }], ...fields }],
});
const action = (...then: Json[]) => aRule({ then });

const MESSAGES: [what: Json, message: string][] = [
  [{ colour: "green" }, "there is no field game.colour."],
  [{ games: {} }, "game.games must be a list of objects, not {}."],
  [{ games: ["x"] }, 'game.games[0] must be an object, not "x".'],
  [
    aGame({ slug: undefined }),
    "game.games[0].slug is required: lower-case letters, digits and hyphens, such as my-game.",
  ],
  [aGame({ slug: "My Game" }), "game.games[0].slug must be lower-case letters"],
  [aGame({ name: undefined }), "game.games[0].name is required: a non-empty string."],
  [aGame({ secret: "short" }), "game.games[0].secret must be a string of 16 to 200 characters"],
  [aGame({ id: "a b" }), "game.games[0].id must be 1 to 100 letters"],
  [aGame({ colour: 1 }), "there is no field game.games[0].colour."],
  [{ games: [OWN, { ...OWN, id: "another-id" }] }, "game.games[1].slug must be different from My Game's"],
  [aGame({ slug: "lantern-keeper" }), "game.games[0].slug must be different from Lantern Keeper's"],
  [{ requireSignature: "yes" }, "game.requireSignature must be true, false, a list of games"],
  [
    { requireSignature: ["nowhere"] },
    "game.requireSignature[0] must be one of the games lantern-keeper, tide-runners",
  ],
  [
    { requireSignature: { "tide-runners": "maybe" } },
    "game.requireSignature.tide-runners must be one of off, optional, required",
  ],
  [{ rules: {} }, "game.rules must be a list of objects"],
  [aRule({ name: undefined }), "game.rules[0].name is required: "],
  [aRule({ when: undefined }), "game.rules[0].when is required: "],
  [
    aRule({ then: undefined }),
    "game.rules[0].then is required: a list of actions: activity, score, message, item, notification, payment.",
  ],
  [action(), "game.rules[0].then must be a list of actions"],
  [action({}), "game.rules[0].then[0] must be an object with one of activity, score"],
  [action({ dance: {} }), "game.rules[0].then[0] must be an object with one of"],
  [
    action({ score: { value: 1 }, item: { name: "x" } }),
    "game.rules[0].then[0] must be an object with one of",
  ],
  [
    action({ score: { value: "all" } }),
    'game.rules[0].then[0].score.value must be a number, or "value" for that of the trigger, not "all".',
  ],
  [action({ score: {} }), "game.rules[0].then[0].score.value is required: a number"],
  [action({ score: { value: 1, colour: 1 } }), "there is no field game.rules[0].then[0].score.colour."],
  [action({ payment: { link: "coffee", amount: 5 } }), "game.rules[0].then[0].payment.amount must be digits"],
  [
    action({ payment: { link: "coffee", outcome: "maybe" } }),
    "game.rules[0].then[0].payment.outcome must be one of completed, failed",
  ],
  [
    action({ activity: { displayText: "x", type: "onchain" } }),
    "game.rules[0].then[0].activity.type must be one of on-chain, off-chain",
  ],
  [aRule({ game: "nowhere" }), "game.rules[0].game must be one of the games"],
  [aRule({ if: { value: { atLeast: 5 } } }), "there is no field game.rules[0].if.value.atLeast."],
  [aRule({ if: { value: { gte: "5" } } }), 'game.rules[0].if.value.gte must be a number, not "5".'],
  [aRule({ if: 5 }), "game.rules[0].if must be an object"],
  [
    { rules: [aRule({}), aRule({})].flatMap(({ rules }) => rules) },
    "game.rules[1].name must be a name that no earlier rule uses",
  ],
];

test.each(MESSAGES)(
  "an invalid game configuration is rejected with an error that names the field: %j",
  (game, message) => {
    let error: unknown;
    try {
      resolveConfig({ game }, 0, "sandbox.config.ts");
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SandboxError);
    expect((error as SandboxError).code).toBe("invalid_config");
    expect((error as SandboxError).message).toContain(`sandbox.config.ts: ${message}`);
    expect((error as SandboxError).hint).not.toBe("");
  },
);

test("requireSignature sets signatures to off, optional or required for each game", () => {
  const modes = (requireSignature: Json) =>
    resolveConfig({ game: { requireSignature } }, 0).game.games.map(({ signatures }) => signatures);
  expect(modes(undefined)).toEqual(["optional", "optional", "optional", "optional"]);
  expect(modes(false)).toEqual(["optional", "optional", "optional", "optional"]);
  expect(modes(true)).toEqual(["required", "required", "required", "required"]);
  expect(modes(["tide-runners", "6f1d2a7c40b8e35912cd7e37"])).toEqual([
    "optional",
    "required",
    "optional",
    "required",
  ]);
  expect(modes({ "lantern-keeper": "off", "tide-runners": "required" })).toEqual([
    "off",
    "required",
    "optional",
    "optional",
  ]);
});
