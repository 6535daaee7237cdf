import { generateKeyPairSync } from "node:crypto";
import { decodeJwt, SignJWT } from "jose";
import { expect, test } from "vitest";
import { expectGameError, LANTERN, startGame, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

const SECRET = "game_secret_sandbox_lantern_keeper_0001";
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sign = (claims: Json, secret = SECRET, alg = "HS256") =>
  new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));

test("a token has the claims that the launcher gives a game, signed with the game's secret [fidelity: Game launcher: requests › Launcher JWT]", async () => {
  const game = await startGame();
  const { token, player } = await game.mint();
  const [header] = token.split(".");
  expect(JSON.parse(Buffer.from(header!, "base64url").toString())).toEqual({ alg: "HS256", typ: "JWT" });
  const now = Date.UTC(2026, 0, 15, 9) / 1_000;
  expect(decodeJwt(token)).toEqual({
    id: player.id,
    address: wallet("a"),
    username: player.username,
    avatar: player.avatar,
    gameId: LANTERN,
    channelId: expect.stringMatching(/^[0-9a-f]{24}$/),
    iat: now,
    exp: now + 86_400,
    jti: expect.stringMatching(/^[0-9a-f]{24}$/),
  });
  expect(player.avatar).toMatch(/^data:image\/svg\+xml,%3Csvg/);
});

test("a token minted for 24 hours works at 23:59:59 and not at 24:00:00 [fidelity: Game launcher: requests › Launcher JWT]", async () => {
  const game = await startGame();
  const { ok, call } = await game.mint();
  await game.advance("23h59m59s");
  await ok("channelStatus");
  await game.advance("999ms");
  await ok("channelStatus");
  await game.advance("1ms");
  expectGameError(await call("channelStatus"), "NotAuthenticated", "expired at 2026-01-16T09:00:00.000Z");
});

test("a token can be minted for another time [fidelity: Game launcher: requests › Launcher JWT]", async () => {
  const game = await startGame();
  const short = await game.mint({ expiresIn: "90s" });
  const long = await game.mint({ expiresIn: "3d" });
  await game.advance("89s");
  await short.ok("channelStatus");
  await game.advance("1s");
  expectGameError(await short.call("channelStatus"), "NotAuthenticated", "expired");
  await game.advance("2d");
  await long.ok("channelStatus");
});

test("a token that does not hold says why [fidelity: Game launcher: requests › Launcher JWT]", async () => {
  const game = await startGame();
  const { token, player } = await game.mint();
  const { player: stranger } = await game.mint({ address: wallet("c") });
  const claims = decodeJwt(token) as Json;
  const [header, payload, signature] = token.split(".") as [string, string, string];
  const rs256 = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const { jti: _, ...anonymous } = claims;
  const refused: [what: string, token: unknown, says: string][] = [
    ["none", undefined, "missing"],
    ["null", null, "missing"],
    ["empty", "", "missing"],
    ["a number", 5, "not a JWT"],
    ["an object", {}, "not a JWT"],
    ["rubbish", "rubbish", "not a JWT"],
    ["two dots", "..", "not a JWT"],
    ["three words", "a.b.c", "not a JWT"],
    ["no JSON inside", `${header}.AAAA.${signature}`, "not a JWT"],
    ["very long", `${header}.${"A".repeat(20_000)}.${signature}`, "not a JWT"],
    ["the algorithm none", `${base64url({ alg: "none" })}.${payload}.`, "'none'"],
    ["none in other letters", `${base64url({ alg: "NONE" })}.${payload}.`, "'NONE'"],
    ["no algorithm", `${base64url({ typ: "JWT" })}.${payload}.${signature}`, "algorithm"],
    ["RS256", await new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(rs256), "'RS256'"],
    ["HS512 with the right secret", await sign(claims, SECRET.padEnd(64, "x"), "HS512"), "'HS512'"],
    ["another secret", await sign(claims, "x".repeat(40)), "another secret"],
    [
      "the secret of another game",
      await sign(claims, "game_secret_sandbox_tide_runners_00002"),
      "another secret",
    ],
    ["a changed payload", `${header}.${base64url({ ...claims, id: "me" })}.${signature}`, "another secret"],
    ["a cut signature", token.slice(0, -2), "another secret"],
    [
      "a game that is not here",
      await sign({ ...claims, gameId: "nowhere" }),
      "'nowhere', which does not exist",
    ],
    ["no game", await sign({ ...claims, gameId: undefined }), "does not exist"],
    ["expired", await sign({ ...anonymous, exp: claims.iat }), "expired at 2026-01-15T09:00:00.000Z"],
    [
      "not valid yet",
      await sign({ ...anonymous, nbf: claims.iat + 60 }),
      "not valid before 2026-01-15T09:01:00.000Z (nbf)",
    ],
    ["a beginning that is no second", await sign({ ...anonymous, nbf: "soon" }), "nbf"],
    ["no expiry", await sign({ ...anonymous, exp: undefined }), "exp"],
    ["an expiry that is no second", await sign({ ...anonymous, exp: 1e300 }), "exp"],
    ["a player who was never here", await sign({ ...anonymous, id: "nobody" }), "'nobody', who is gone"],
    [
      "expired, of a session that goes on",
      await sign({ ...claims, exp: claims.iat }),
      "expired at 2026-01-15T09",
    ],
    [
      "another player than its session",
      await sign({ ...claims, id: stranger.id }),
      "of another player or game",
    ],
    [
      "another game than its session",
      await sign({ ...claims, gameId: "tide-runners" }, "game_secret_sandbox_tide_runners_00002"),
      "of another player or game",
    ],
    [
      "a player who is gone, of a session that goes on",
      await sign({ ...claims, id: "nobody" }),
      "who is gone",
    ],
    ["a session that is not here", await sign({ ...claims, jti: "f".repeat(24) }), "not in this world"],
  ];
  for (const [what, bad, says] of refused) {
    const answer = await game.call("POST", "/game/launcher/channel-heartbeat", {
      body: { launcherJwt: bad },
    });
    expectGameError(answer, "NotAuthenticated", says, what);
  }

  const other = await game.mint({ address: wallet("b") });
  await game.endSession(other.session_id);
  expectGameError(
    await other.call("channelHeartbeat"),
    "NotAuthenticated",
    "ended at 2026-01-15T09:00:00.000Z",
  );
  await game.removePlayer(player.username);
  const gone = await game.call("POST", "/game/launcher/channel-heartbeat", { body: { launcherJwt: token } });
  expectGameError(gone, "NotAuthenticated", "who is gone");
});

test("a token that a game signed itself with its secret opens a session at its first call [fidelity: Game launcher: requests › Your own tokens]", async () => {
  const game = await startGame();
  const { player, token, session_id } = await game.mint();
  await game.endSession(session_id);
  const { jti: _, ...claims } = decodeJwt(token) as Json;
  const own = { launcherJwt: await sign(claims) };
  const status = async () => (await game.call("POST", "/game/launcher/channel-status", { body: own })).body;
  expect(await status()).toEqual({
    exists: true,
    present: false,
    wallet: player.address,
    openedAt: Date.UTC(2026, 0, 15, 9),
  });
  await game.call("POST", "/game/launcher/channel-heartbeat", { body: own });
  expect((await status()).present).toBe(true);
});
