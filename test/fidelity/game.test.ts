import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { expectGameError, LANTERN, startGame, TIDE, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

/** Covers the rows of docs/fidelity.md about the game launcher that no other test file covers completely. */

const SECRET = "game_secret_sandbox_lantern_keeper_0001";
const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** All values under keys that hold a point in time. */
function timesIn(value: Json): [key: string, time: unknown][] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]): [string, unknown][] =>
    /At$|^timestamp$/.test(key) ? [[key, inner]] : timesIn(inner),
  );
}

test("every time in the game launcher's responses is a number [fidelity: Game launcher › Times]", async () => {
  const game = await startGame();
  const { ok } = await game.mint();
  const { data: channels } = await ok("getMessageChannels");
  const answers: Json[] = [
    channels,
    await ok("sendChannelMessage", { channelId: channels[0]._id, content: "x" }),
    await ok("getChannelMessages", { channelId: channels[0]._id }),
    await ok("setState", { state: "{}" }),
    await ok("setUserScore", { score: 1 }),
    (await game.leaderboard({ gameId: LANTERN })).body,
    await ok("channelStatus"),
    await ok("sendCustomActivity", { label: "x", eventId: "e" }),
    (await game.call("GET", "/game/activities")).body,
  ];
  for (const answer of answers) {
    const times = timesIn(answer);
    expect(times.length, JSON.stringify(answer)).toBeGreaterThan(0);
    for (const [key, time] of times) expect({ key, type: typeof time }).toEqual({ key, type: "number" });
  }
});

test("a game launcher request with several mistakes is rejected by the first check in a fixed order [fidelity: Game launcher: requests › Order of checks]", async () => {
  const game = await startGame({ requireSignature: true });
  let count = 0;
  const signed = () => {
    count += 1;
    const nonce = `n${count}`;
    return { "x-request-nonce": nonce, "x-request-signature": md5(nonce + md5(SECRET)) };
  };
  const [ada, bo] = [await game.mint(), await game.mint({ address: wallet("b") })];
  const own = (await bo.call("getMessageChannels", {}, { headers: signed() })).body.data[0]._id;
  const send = async (method: string, body: unknown, more: Record<string, string> = {}) =>
    game.call("POST", "/game/launcher", { body, headers: { "x-service-method": method, ...more } });
  const wrong = { "x-request-nonce": "n", "x-request-signature": "wrong" };
  const launcherJwt = ada.token;

  expectGameError(await send("nothing", "{", wrong), "MethodNotAllowed");
  expectGameError(await send("sendChannelMessage", "{", wrong), "BadRequest", "JSON");
  expectGameError(
    await send("sendChannelMessage", { launcherJwt: "x" }, wrong),
    "NotAuthenticated",
    "launcherJwt",
  );
  expectGameError(await send("sendChannelMessage", { launcherJwt }, wrong), "NotAuthenticated", "Signature");
  const incomplete = { launcherJwt, channelId: own };
  expectGameError(await send("sendChannelMessage", incomplete, signed()), "BadRequest", "content");
  const unknown = { launcherJwt, channelId: "nowhere", content: "x" };
  expectGameError(await send("sendChannelMessage", unknown, signed()), "NotFound");
  expectGameError(await send("sendChannelMessage", { ...unknown, channelId: own }, signed()), "Forbidden");
});

test("game launcher ids start with the virtual second and sort by creation time [fidelity: Game launcher: requests › Ids]", async () => {
  const game = await startGame();
  const { ok } = await game.mint();
  const [{ _id: channelId }] = (await ok("getMessageChannels")).data;
  const second = async () => Date.parse((await game.control("GET", "/clock")).body.now) / 1_000;
  const ids: Record<string, string[]> = { message: [], score: [], state: [] };
  for (let round = 0; round < 12; round += 1) {
    const made = {
      message: (await ok("sendChannelMessage", { channelId, content: "x" }))._id,
      score: (await ok("setUserScore", { score: round, nonce: `n${round}` })).newScore._id,
      state: (await ok("setState", { state: "1", label: `l${round}` })).newState._id,
    };
    for (const [kind, id] of Object.entries(made)) {
      expect(id).toMatch(/^[0-9a-f]{24}$/);
      expect(Number.parseInt(id.slice(0, 8), 16), kind).toBe(Math.floor(await second()));
      ids[kind]!.push(id);
    }
    if (round % 3 === 2) await game.advance("1500ms");
  }
  for (const [kind, made] of Object.entries(ids)) expect(made, kind).toEqual([...made].sort());
});

test("a page of a game launcher list has 20 items by default, or 50 for scores and the leaderboard [fidelity: Game launcher: requests › Paging]", async () => {
  const game = await startGame({}, { seed: "sandglass" });
  const { ok } = await game.mint({ player: "mira_lantern" });
  for (let index = 0; index < 51; index += 1) {
    await ok("setUserScore", { score: index, nonce: `n${index}` });
    await ok("setState", { state: "1", label: `l${index}` });
  }
  const channels = await ok("getMessageChannels");
  expect([channels.limit, channels.skip]).toEqual([20, 0]);
  const { data } = await ok("getMessageChannels", { limit: 100 });
  const large = data.find(({ name }: Json) => name === "Lantern Keeper: everyone");
  expect((await ok("getChannelMessages", { channelId: large._id })).data).toHaveLength(20);
  expect((await ok("getStates")).states).toHaveLength(20);
  expect((await ok("getUserScores")).scores).toHaveLength(50);
  expect((await game.leaderboard({ gameId: LANTERN })).body.leaderboard).toHaveLength(50);
});

test("a granted item is stored with the player and becomes an on-chain activity [fidelity: Simulated › Items]", async () => {
  const rules = [{ name: "r", when: "go", then: [{ item: { name: "Lamp", quantity: 2 } }] }];
  const game = await startGame({ rules } as Json);
  const { ok, player } = await game.mint();
  await ok("triggerRulesEngine", { trigger: "go" });
  const [stored] = (await game.control("GET", "/game/players")).body.data;
  expect(stored.items).toMatchObject([{ name: "Lamp", quantity: 2 }]);
  expect((await game.call("GET", "/game/activities?type=on-chain")).body.result.data).toMatchObject([
    { displayText: `${player.username} received 2 × Lamp`, user: { address: player.address } },
  ]);
});

test("equal scores set at the same time are ranked by id [fidelity: Game launcher: resources › Leaderboard]", async () => {
  const game = await startGame();
  const players = [
    await game.mint({ address: wallet("c") }),
    await game.mint(),
    await game.mint({ address: wallet("b") }),
  ];
  const made: string[] = [];
  for (const { ok } of players) made.push((await ok("setUserScore", { score: 5, nonce: "n" })).newScore._id);
  const { leaderboard } = (await game.leaderboard({ gameId: LANTERN })).body;
  expect(leaderboard.map(({ _id }: Json) => _id)).toEqual([...made].sort());
  expect(made).toEqual([...made].sort());
});

test("a gameId can be the id or the slug of a game [fidelity: Game launcher: requests › Games]", async () => {
  const game = await startGame();
  for (const gameId of [TIDE, "tide-runners"]) {
    expect((await game.mint({ gameId })).player.address).toBe(wallet("a"));
    expect((await game.leaderboard({ gameId })).status).toBe(200);
    expect((await game.call("GET", `/game/activities?gameId=${gameId}`)).status).toBe(200);
    const begun = await game.call("POST", "/game/launcher/create-unverified-channel", {
      body: { wallet: wallet("d"), gameId },
    });
    expect(begun.body.signRequest).toContain("Tide Runners");
  }
});
