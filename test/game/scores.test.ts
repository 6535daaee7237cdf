import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  expectGameError,
  LANTERN,
  ORBIT,
  startGame,
  type TestPlayer,
  TIDE,
  wallet,
} from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

const NOW = Date.UTC(2026, 0, 15, 9);

test("a score is stored under its nonce, and the same nonce updates it [fidelity: Game launcher: requests › Order of lists · Game launcher: resources › Scores]", async () => {
  const game = await startGame();
  const { ok, player } = await game.mint();
  const first = await ok("setUserScore", { score: 1250, nonce: "run-1" });
  const record = {
    _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    nonce: "run-1",
    gameId: LANTERN,
    normalizedAddress: player.address,
    score: 1250,
    updatedAt: NOW,
  };
  expect(first).toEqual({ success: true, newScore: record });
  await game.advance("1s");
  expect((await ok("setUserScore", { score: 1250, nonce: "run-1" })).newScore).toEqual(first.newScore);
  const updated = await ok("setUserScore", { score: 900, nonce: "run-1" });
  expect(updated.newScore).toEqual({ ...first.newScore, score: 900, updatedAt: NOW + 1_000 });
  const { newScore: unnamed } = await ok("setUserScore", { score: 7 });
  expect(unnamed.nonce).toMatch(/^[0-9A-Za-z]{16}$/);
  expect((await ok("getUserScores")).scores).toEqual([unnamed, updated.newScore]);
  expect((await ok("getUserScores", { nonce: "run-1" })).scores).toEqual([updated.newScore]);
  expect((await ok("getUserScores", { limit: 1, skip: 1 })).scores).toEqual([updated.newScore]);
});

test("concurrent writes with one nonce create a single score record", async () => {
  const game = await startGame();
  const [ada, bo] = [await game.mint(), await game.mint({ address: wallet("b") })];
  const write = (score: number) => ada.ok("setUserScore", { score, nonce: "same" });
  const written = await Promise.all(Array.from({ length: 25 }, (_, score) => write(score)));
  expect(new Set(written.map(({ newScore }) => newScore._id)).size).toBe(1);
  expect((await ada.ok("getUserScores")).scores).toHaveLength(1);
  await bo.ok("setUserScore", { score: 3, nonce: "same" });
  expect((await game.leaderboard({ gameId: LANTERN })).body.leaderboard).toHaveLength(2);
});

test("concurrent calls can share a token that was never used before", async () => {
  const game = await startGame();
  const { token } = await game.mint();
  const calls = await Promise.all(
    Array.from({ length: 8 }, () =>
      game.call("POST", "/game/launcher/set-user-score", {
        body: { launcherJwt: token, score: 1, nonce: "n" },
      }),
    ),
  );
  expect(calls.map(({ status }) => status)).toEqual(Array(8).fill(200));
});

test("invalid scores are rejected [fidelity: Game launcher: resources › Scores]", async () => {
  const game = await startGame();
  const { call, ok, token } = await game.mint();
  const raw = (score: string) =>
    game.call("POST", "/game/launcher/set-user-score", {
      body: `{"launcherJwt":"${token}","score":${score}}`,
    });
  for (const score of ["NaN", "Infinity", "-Infinity", "0x10", "01", "+1", "1_000", ".5"])
    expectGameError(await raw(score), "BadRequest", "not valid JSON", score);
  for (const score of ["1e400", "-1e400", '"12"', '"NaN"', "null", "true", "[]", "{}"])
    expectGameError(await raw(score), "BadRequest", "score must be a number", score);
  expectGameError(await call("setUserScore"), "BadRequest", "Missing required field: score");
  for (const nonce of ["", "x".repeat(201), 5, null, {}])
    expectGameError(
      await call("setUserScore", { score: 1, nonce }),
      "BadRequest",
      "nonce",
      String(nonce).slice(0, 20),
    );
  expect((await ok("getUserScores")).scores).toEqual([]);
  for (const [score, kept] of [
    ["-0", 0],
    ["-12.5", -12.5],
    ["1e308", 1e308],
    ["9007199254740991", 2 ** 53 - 1],
  ] as const)
    expect((await raw(score)).body.newScore.score, score).toBe(kept);
});

test("the leaderboard shows each player's best score, highest first, with ties going to the earlier one [fidelity: Game launcher: requests › Games · Game launcher: resources › Leaderboard]", async () => {
  const game = await startGame();
  const players = await Promise.all(
    ["a", "b", "c", "d"].map((digit) => game.mint({ address: wallet(digit) })),
  );
  const [ada, bo, cy, di] = players as [Json, Json, Json, Json];
  await bo.ok("setUserScore", { score: 50, nonce: "1" });
  await game.advance("1s");
  await ada.ok("setUserScore", { score: 50, nonce: "1" });
  await ada.ok("setUserScore", { score: 20, nonce: "2" });
  await cy.ok("setUserScore", { score: -3, nonce: "1" });
  await di.ok("setUserScore", { score: 99, nonce: "1" });
  const show = async (body: Json = {}) => {
    const { leaderboard } = (await game.leaderboard({ gameId: LANTERN, ...body })).body;
    return leaderboard.map(({ username, score }: Json) => [username, score]);
  };
  const name = ({ player }: Json) => player.username;
  expect(await show()).toEqual([
    [name(di), 99],
    [name(bo), 50],
    [name(ada), 50],
    [name(cy), -3],
  ]);
  expect(await show({ limit: 2, skip: 1 })).toEqual([
    [name(bo), 50],
    [name(ada), 50],
  ]);
  await game.advance("1s");
  await bo.ok("setUserScore", { score: 50, nonce: "1" });
  expect((await show())[1], "the same score again loses no place").toEqual([name(bo), 50]);
  await di.ok("setUserScore", { score: 10, nonce: "1" });
  expect((await show())[0], "a lowered score falls").toEqual([name(bo), 50]);
  const { leaderboard } = (await game.leaderboard({ gameId: "lantern-keeper" })).body;
  expect(leaderboard[0]).toEqual({
    _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    nonce: "1",
    gameId: LANTERN,
    normalizedAddress: wallet("b"),
    score: 50,
    updatedAt: NOW,
    username: name(bo),
    avatar: bo.player.avatar,
  });
  await game.removePlayer(name(bo));
  expect(await show()).toHaveLength(3);
});

describe("equal scores", () => {
  test("the earlier of a player's two equal scores counts, even if its record is newer", async () => {
    const game = await startGame();
    const { ok } = await game.mint();
    await ok("setUserScore", { score: 10, nonce: "older record" });
    await game.advance("1s");
    await ok("setUserScore", { score: 50, nonce: "there first" });
    await game.advance("1s");
    await ok("setUserScore", { score: 50, nonce: "older record" });
    const { leaderboard } = (await game.leaderboard({ gameId: LANTERN })).body;
    expect(leaderboard).toMatchObject([{ nonce: "there first", score: 50, updatedAt: NOW + 1_000 }]);
  });

  test("the earlier of two players' equal scores ranks first, even if its record is newer", async () => {
    const game = await startGame();
    const [ada, bo] = [await game.mint(), await game.mint({ address: wallet("b") })];
    await ada.ok("setUserScore", { score: 10, nonce: "older record" });
    await game.advance("1s");
    await bo.ok("setUserScore", { score: 50, nonce: "there first" });
    await game.advance("1s");
    await ada.ok("setUserScore", { score: 50, nonce: "older record" });
    const { leaderboard } = (await game.leaderboard({ gameId: LANTERN })).body;
    expect(leaderboard.map(({ nonce }: Json) => nonce)).toEqual(["there first", "older record"]);
    const placeOf = async ({ player }: TestPlayer) =>
      (
        await game.call("POST", "/game/scores", {
          body: { gameId: LANTERN, wallet: player.address },
          headers: { "x-service-method": "getUsersPositionInGameScoreLeaderboard" },
        })
      ).body.position;
    expect([await placeOf(bo), await placeOf(ada)]).toEqual([1, 2]);
  });
});

test("the game launcher returns a player's rank, or 0 without a score [fidelity: Game launcher: resources › Leaderboard]", async () => {
  const game = await startGame();
  for (const [digit, score] of [
    ["a", 5],
    ["b", 9],
    ["c", 5],
  ] as const)
    await (await game.mint({ address: wallet(digit) })).ok("setUserScore", { score, nonce: "n" });
  await game.mint({ address: wallet("d") });
  const place = (service: string, body: Json) =>
    game.call("POST", `/game/${service}`, {
      body,
      headers: { "x-service-method": "getUsersPositionInGameScoreLeaderboard" },
    });
  for (const [digit, position] of [
    ["b", 1],
    ["a", 2],
    ["c", 3],
    ["d", 0],
    ["e", 0],
  ] as const)
    for (const service of ["launcher", "scores"])
      expect((await place(service, { gameId: LANTERN, wallet: wallet(digit) })).body).toEqual({
        success: true,
        position,
      });
  expectGameError(await place("scores", { gameId: LANTERN, wallet: "me" }), "BadRequest", "wallet");
  expectGameError(await place("scores", { gameId: "x", wallet: wallet("a") }), "NotFound", "'x'");
});

test("each game has its own leaderboard", async () => {
  const game = await startGame();
  expect((await game.leaderboard({ gameId: ORBIT })).body).toEqual({ success: true, leaderboard: [] });
  expectGameError(await game.leaderboard({}), "BadRequest", "gameId");
  expectGameError(await game.leaderboard({ gameId: 5 }), "BadRequest", "gameId");
  expectGameError(await game.leaderboard({ gameId: "nowhere" }), "NotFound", "lantern-keeper");
});

test.each([1, 7, 50])(
  "paging through the leaderboard with a limit of %i returns every player exactly once",
  async (limit) => {
    const game = await startGame({}, { seed: "sandglass" });
    const all = (await game.leaderboard({ gameId: LANTERN, limit: 100 })).body.leaderboard;
    expect(all.length).toBeGreaterThan(50);
    const walked: Json[] = [];
    for (;;) {
      const { leaderboard } = (await game.leaderboard({ gameId: LANTERN, limit, skip: walked.length })).body;
      if (leaderboard.length === 0) break;
      walked.push(...leaderboard);
    }
    expect(walked).toEqual(all);
    expect(new Set(walked.map(({ normalizedAddress }) => normalizedAddress)).size).toBe(walked.length);
  },
);

interface Step {
  player: number;
  nonce: number;
  score: number;
  game: number;
  advance: number;
}

/** A model of the leaderboard according to its definition: the best record of each player, sorted. */
function modelOf(steps: Step[]) {
  const records = new Map<
    string,
    { game: number; player: number; nonce: number; score: number; at: number; order: number }
  >();
  let at = NOW;
  for (const [order, step] of steps.entries()) {
    at += step.advance;
    const key = `${step.game} ${step.player} ${step.nonce}`;
    const known = records.get(key);
    if (known?.score === step.score) continue;
    records.set(key, { ...step, at, order: known?.order ?? order });
  }
  const inOrder = [...records.values()].sort((a, b) => b.score - a.score || a.at - b.at || a.order - b.order);
  const best = (game: number) => {
    const seen = new Set<number>();
    return inOrder.filter(
      (record) => record.game === game && !seen.has(record.player) && seen.add(record.player),
    );
  };
  return [best(0), best(1)];
}

test("the leaderboard is correct after any sequence of scores [fidelity: Game launcher: resources › Leaderboard]", async () => {
  const game = await startGame();
  const step = fc.record({
    player: fc.integer({ min: 0, max: 3 }),
    nonce: fc.integer({ min: 0, max: 2 }),
    score: fc.oneof(fc.integer({ min: -2, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
    game: fc.integer({ min: 0, max: 1 }),
    advance: fc.constantFrom(0, 0, 1, 1_000),
  });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      round += 1;
      await game.reset();
      const players = await Promise.all(
        [0, 1, 2, 3].map((index) =>
          Promise.all([LANTERN, TIDE].map((gameId) => game.mint({ address: wallet(index + 1), gameId }))),
        ),
      );
      for (const { player, nonce, score, game: which, advance } of steps) {
        if (advance > 0) await game.advance(`${advance}ms`);
        await players[player]![which]!.ok("setUserScore", { score, nonce: `n${nonce}` });
      }
      for (const [which, expected] of modelOf(steps).entries()) {
        const { leaderboard } = (await game.leaderboard({ gameId: [LANTERN, TIDE][which] })).body;
        expect(
          leaderboard.map(({ normalizedAddress, nonce, score, updatedAt }: Json) => [
            normalizedAddress,
            nonce,
            score,
            updatedAt,
          ]),
        ).toEqual(
          expected.map(({ player, nonce, score, at }) => [wallet(player + 1), `n${nonce}`, score + 0, at]),
        );
      }
    }),
    { numRuns: 15 },
  );
  expect(round).toBeGreaterThanOrEqual(15);
});
