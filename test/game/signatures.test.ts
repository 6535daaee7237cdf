import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { expectGameError, startGame, type TestPlayer } from "../support/game.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const SECRET = "game_secret_sandbox_lantern_keeper_0001";
const signed = (nonce: string, secret = SECRET) => ({
  "x-request-nonce": nonce,
  "x-request-signature": md5(nonce + md5(secret)),
});
const withHeaders = ({ call }: TestPlayer, headers: Record<string, string>) =>
  call("channelStatus", {}, { headers });

/** Requests that every game that checks signatures rejects. */
const WRONG: [what: string, headers: Record<string, string>, says: string][] = [
  ["a nonce without a signature", { "x-request-nonce": "n1" }, "without X-Request-Signature"],
  ["a signature without a nonce", { "x-request-signature": md5("x") }, "without X-Request-Nonce"],
  ["an empty nonce", { "x-request-nonce": "", "x-request-signature": md5("x") }, "without X-Request-Nonce"],
  ["the signature of another nonce", { ...signed("n1"), "x-request-nonce": "n2" }, "does not match"],
  ["another secret", signed("n1", "other"), "does not match"],
  [
    "the secret itself",
    { "x-request-nonce": "n1", "x-request-signature": md5(`n1${SECRET}`) },
    "does not match",
  ],
  ["no MD5", { "x-request-nonce": "n1", "x-request-signature": "rubbish" }, "does not match"],
  ["a very long nonce", signed("n".repeat(300)), "300 characters, more than 200"],
];

test("optional signatures require both headers or neither, and must be correct [fidelity: Game launcher › Access · Game launcher: requests › Verification]", async () => {
  const game = await startGame();
  const player = await game.mint();
  for (const headers of [
    {},
    signed("n1"),
    signed("n1"),
    signed("ünïcode".normalize("NFC").replace(/[^\x20-\x7e]/g, "u")),
  ])
    expect((await withHeaders(player, headers)).status).toBe(200);
  const upper = signed("n3");
  upper["x-request-signature"] = upper["x-request-signature"].toUpperCase();
  expect((await withHeaders(player, upper)).status).toBe(200);
  for (const [what, headers, says] of WRONG)
    expectGameError(await withHeaders(player, headers), "NotAuthenticated", says, what);
});

test("disabled signatures are not checked", async () => {
  const game = await startGame({ requireSignature: { "lantern-keeper": "off" } });
  const player = await game.mint();
  for (const [what, headers] of WRONG) expect((await withHeaders(player, headers)).status, what).toBe(200);
});

test("required signatures must be present, and each nonce works once [fidelity: Game launcher: requests › Verification]", async () => {
  const game = await startGame({ requireSignature: ["lantern-keeper"] });
  const player = await game.mint();
  const tide = await game.mint({ gameId: "tide-runners" });
  expect((await withHeaders(tide, {})).status).toBe(200);
  for (const [what, headers, says] of [["none", {}, "requires the headers"] as const, ...WRONG])
    expectGameError(await withHeaders(player, headers), "NotAuthenticated", says, what);
  expect((await withHeaders(player, signed("once"))).status).toBe(200);
  expectGameError(await withHeaders(player, signed("once")), "NotAuthenticated", "used before");
  await game.advance("23h");
  expectGameError(await withHeaders(player, signed("once")), "NotAuthenticated", "used before");
  expect((await withHeaders(player, signed("twice"))).status).toBe(200);
  const both = await Promise.all([1, 2].map(() => withHeaders(player, signed("at once"))));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
});

test("requireSignature applies to signing in, but not to reading a leaderboard [fidelity: Game launcher: requests › Verification]", async () => {
  const game = await startGame({ requireSignature: true });
  const body = { wallet: `0x${"1".repeat(40)}`, gameId: "lantern-keeper" };
  const path = "/game/launcher/create-unverified-channel";
  expectGameError(await game.call("POST", path, { body }), "NotAuthenticated", "requires the headers");
  expect((await game.call("POST", path, { body, headers: signed("n1") })).status).toBe(200);
  const scores = await game.call("POST", "/game/scores", {
    body: { gameId: "lantern-keeper" },
    headers: { "x-service-method": "getGameScoresLeaderboard" },
  });
  expect(scores.status).toBe(200);
});

test("the token is checked before the signature, and the signature before the fields", async () => {
  const game = await startGame();
  const player = await game.mint();
  const call = (token: string, headers: Record<string, string>) =>
    game.call("POST", "/game/launcher/set-user-score", { body: { launcherJwt: token, score: "x" }, headers });
  expectGameError(await call("rubbish", signed("n", "wrong")), "NotAuthenticated", "launcherJwt");
  expectGameError(await call(player.token, signed("n", "wrong")), "NotAuthenticated", "X-Request-Signature");
  expectGameError(await call(player.token, signed("n")), "BadRequest", "score");
});

test("GET /game/signature returns the signature for a nonce", async () => {
  const game = await startGame({ requireSignature: true });
  const { body } = await game.control("GET", "/game/signature?nonce=n%201");
  expect(body).toEqual({ nonce: "n 1", signature: md5(`n 1${md5(SECRET)}`) });
  expect((await game.control("GET", "/game/signature?nonce=n&gameId=none")).status).toBe(404);
});
