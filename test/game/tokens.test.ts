import { generateKeyPairSync } from "node:crypto";
import { decodeJwt, SignJWT } from "jose";
import { expect, test } from "vitest";
import { expectGameError, LANTERN, startGame, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

const SECRET = "game_secret_sandbox_lantern_keeper_0001";
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const sign = (claims: Json, secret = SECRET, alg = "HS256") =>
  new SignJWT(claims).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));

test("a token has the launcher's claims and is signed with the game's secret [fidelity: Game launcher: requests › Launcher JWT]", async () => {
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

test("a token minted for 24 hours works for 23:59:59.999 and expires after 24 hours [fidelity: Game launcher: requests › Launcher JWT]", async () => {
  const game = await startGame();
  const { ok, call } = await game.mint();
  await game.advance("23h59m59s");
  await ok("channelStatus");
  await game.advance("999ms");
  await ok("channelStatus");
  await game.advance("1ms");
  expectGameError(await call("channelStatus"), "NotAuthenticated", "expired at 2026-01-16T09:00:00.000Z");
});

test("expiresIn sets a token's lifetime [fidelity: Game launcher: requests › Launcher JWT]", async () => {
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

test("an invalid token is rejected with an error that gives the reason [fidelity: Game launcher: requests › Launcher JWT]", async () => {
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
    ["another secret", await sign(claims, "x".repeat(40)), "not signed with the secret"],
    [
      "the secret of another game",
      await sign(claims, "game_secret_sandbox_tide_runners_00002"),
      "not signed with the secret",
    ],
    [
      "a changed payload",
      `${header}.${base64url({ ...claims, id: "me" })}.${signature}`,
      "not signed with the secret",
    ],
    ["a cut signature", token.slice(0, -2), "not signed with the secret"],
    [
      "a game that is not here",
      await sign({ ...claims, gameId: "nowhere" }),
      "The game 'nowhere' of launcherJwt does not exist in this world",
    ],
    ["no game", await sign({ ...claims, gameId: undefined }), "has no gameId"],
    ["null for a game", await sign({ ...claims, gameId: null }), "has the gameId null"],
    ["expired", await sign({ ...anonymous, exp: claims.iat }), "expired at 2026-01-15T09:00:00.000Z"],
    [
      "not valid yet",
      await sign({ ...anonymous, nbf: claims.iat + 60 }),
      "not valid before 2026-01-15T09:01:00.000Z (nbf)",
    ],
    [
      "a beginning as text",
      await sign({ ...anonymous, nbf: "soon" }),
      'has the nbf "soon"; it must be a number of seconds since 1970, not text',
    ],
    ["no expiry", await sign({ ...anonymous, exp: undefined }), "has no exp"],
    [
      "an expiry in milliseconds",
      await sign({ ...anonymous, exp: claims.exp * 1_000 }),
      `has the exp ${claims.exp}000; it must be in seconds since 1970, not in milliseconds: ${claims.exp}`,
    ],
    [
      "an expiry with a fraction",
      await sign({ ...anonymous, exp: claims.exp + 0.5 }),
      `has the exp ${claims.exp}.5; it must be a whole number of seconds`,
    ],
    [
      "an expiry as text",
      await sign({ ...anonymous, exp: String(claims.exp) }),
      `has the exp "${claims.exp}"; it must be a number of seconds since 1970, not text`,
    ],
    ["null for an expiry", await sign({ ...anonymous, exp: null }), "has the exp null"],
    ["an expiry beyond all time", await sign({ ...anonymous, exp: 1e300 }), "the end of the year 9999"],
    ["no player", await sign({ ...anonymous, id: undefined, address: undefined }), "has no address"],
    [
      "a new player without a wallet",
      await sign({ ...anonymous, id: "me", address: "0x77" }),
      'has the address "0x77"',
    ],
    [
      "an expired token whose session is still open",
      await sign({ ...claims, exp: claims.iat }),
      "expired at 2026-01-15T09",
    ],
    [
      "another player than its session",
      await sign({ ...claims, id: stranger.id }),
      "to a different player or game",
    ],
    [
      "another game than its session",
      await sign({ ...claims, gameId: "tide-runners" }, "game_secret_sandbox_tide_runners_00002"),
      "to a different player or game",
    ],
    [
      "a player who does not exist, although the session is still open",
      await sign({ ...claims, id: "nobody" }),
      "The player 'nobody' of launcherJwt does not exist in this world",
    ],
    [
      "a session that is not here",
      await sign({ ...claims, jti: "f".repeat(24) }),
      "does not exist in this world",
    ],
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
  expectGameError(gone, "NotAuthenticated", "does not exist in this world");
});

test("a token signed by the game itself opens a session on its first call [fidelity: Game launcher: requests › Your own tokens]", async () => {
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

test("a token signed by the game itself creates or recreates its player [fidelity: Game launcher: requests › Your own tokens]", async () => {
  const game = await startGame();
  const exp = Date.UTC(2026, 0, 16) / 1_000;
  const claims = {
    address: `0x${"7A".repeat(20)}`,
    username: "ada",
    avatar: "data:,a",
    gameId: LANTERN,
    exp,
  };
  const launcherJwt = await sign(claims);
  const score = async (token: string, value: number) => {
    const body = { launcherJwt: token, score: value };
    const answer = await game.call("POST", "/game/launcher/set-user-score", { body });
    expect(answer.status, answer.text).toBe(200);
  };
  const players = async () => (await game.control("GET", "/game/players")).body.data;
  await score(launcherJwt, 5);
  await score(launcherJwt, 6);
  const ada = { username: "ada", address: claims.address.toLowerCase(), avatar: "data:,a" };
  expect(await players()).toEqual([expect.objectContaining(ada)]);

  await score(await sign({ ...claims, address: wallet("8") }), 7);
  const [, other] = await players();
  expect(other).toMatchObject({ address: wallet("8"), username: expect.not.stringMatching(/^ada$/) });

  await game.removePlayer("ada");
  await score(launcherJwt, 8);
  expect((await players()).find(({ address }: Json) => address === ada.address)).toMatchObject(ada);
});
