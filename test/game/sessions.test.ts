import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { expectGameError, LANTERN, startGame, TIDE, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

const NOW = Date.UTC(2026, 0, 15, 9);

test("a player is present for exactly two minutes after a heartbeat [fidelity: Game launcher: resources › Sessions]", async () => {
  const game = await startGame();
  const { ok, player } = await game.mint();
  const present = async () => (await ok("channelStatus")).present;
  expect(await ok("channelStatus")).toEqual({
    exists: true,
    present: false,
    wallet: player.address,
    openedAt: NOW,
  });
  expect(await ok("channelHeartbeat")).toEqual({ success: true });
  expect(await present()).toBe(true);
  await game.advance("1m59s");
  expect(await present()).toBe(true);
  await ok("channelHeartbeat");
  await game.advance("1m59s");
  await game.advance("999ms");
  expect(await present()).toBe(true);
  await game.advance("1ms");
  expect(await present()).toBe(false);
  await ok("channelHeartbeat");
  expect(await ok("channelStatus")).toMatchObject({ exists: true, present: true, openedAt: NOW });
});

test("each token opens its own session with separate presence [fidelity: Game launcher: resources › Sessions]", async () => {
  const game = await startGame();
  const first = await game.mint();
  await game.advance("10s");
  const second = await game.mint();
  await second.ok("channelHeartbeat");
  expect(await first.ok("channelStatus")).toMatchObject({ present: false, openedAt: NOW });
  expect(await second.ok("channelStatus")).toMatchObject({ present: true, openedAt: NOW + 10_000 });
});

test("an ended session reports that it ended and accepts no other call [fidelity: Game launcher: resources › Sessions]", async () => {
  const game = await startGame();
  const { ok, call, session_id: id } = await game.mint();
  await ok("channelHeartbeat");
  await game.endSession(id);
  expect(await ok("channelStatus")).toMatchObject({ exists: false, present: false, openedAt: NOW });
  for (const method of ["channelHeartbeat", "getMessageChannels", "getStates"])
    expectGameError(await call(method), "NotAuthenticated", "ended", method);
  expect((await game.journal("session.*")).map(({ type }) => type)).toEqual([
    "session.opened",
    "session.ended",
  ]);
});

const SIGNATURE = `0x${"1b".repeat(65)}`;

test("a player signs in with a wallet [fidelity: Game launcher: resources › Sign-in]", async () => {
  const game = await startGame();
  const call = (method: string, body: Json) =>
    game.call("POST", "/game/launcher", { body, headers: { "x-service-method": method } });
  const begun = (await call("createUnverifiedChannel", { wallet: wallet("C"), gameId: TIDE })).body;
  expect(begun).toEqual({
    success: true,
    signRequest: expect.stringMatching(
      /^Sign in to Tide Runners with 0xC{40}\.\n\nChannel: [0-9a-f]{24}\nNonce: \w+\n/,
    ),
    channelId: expect.stringMatching(/^[0-9a-f]{24}$/),
  });
  await game.advance("14m59s");
  const { body } = await call("verifyUnverifiedChannel", {
    channelId: begun.channelId,
    signature: SIGNATURE,
    chainId: 8453,
  });
  expect(body).toEqual({ success: true, jwt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
  expect(decodeJwt(body.jwt)).toMatchObject({
    address: wallet("c"),
    gameId: TIDE,
    channelId: begun.channelId,
  });
  const status = await game.call("POST", "/game/launcher/channel-status", {
    body: { launcherJwt: body.jwt },
  });
  expect(status.body).toMatchObject({ exists: true, wallet: wallet("c") });
  const again = await call("verifyUnverifiedChannel", { channelId: begun.channelId, signature: SIGNATURE });
  expectGameError(again, "NotFound", "works once");
  const back = (await call("createUnverifiedChannel", { wallet: wallet("c"), gameId: TIDE })).body;
  expect(back.channelId).toBe(begun.channelId);
  expect(back.signRequest).not.toBe(begun.signRequest);
});

test("a sign-in with a wrong signature or nonce is rejected [fidelity: Game launcher: resources › Sign-in · Simulated › Wallet signatures]", async () => {
  const game = await startGame();
  const call = (method: string, body: Json) =>
    game.call("POST", "/game/launcher", { body, headers: { "x-service-method": method } });
  const { channelId, signRequest } = (await call("createUnverifiedChannel", { wallet: wallet("c") })).body;
  expect(signRequest).toContain("Lantern Keeper");
  expectGameError(await call("createUnverifiedChannel", {}), "BadRequest", "wallet");
  expectGameError(await call("createUnverifiedChannel", { wallet: "vitalik.eth" }), "BadRequest", "wallet");
  expectGameError(
    await call("createUnverifiedChannel", { wallet: wallet("c"), gameId: "x" }),
    "NotFound",
    "'x'",
  );
  for (const signature of [
    undefined,
    "",
    "0x",
    SIGNATURE.slice(0, -1),
    SIGNATURE.slice(2),
    `${SIGNATURE}g`,
    5,
  ])
    expectGameError(
      await call("verifyUnverifiedChannel", { channelId, signature }),
      "BadRequest",
      "signature",
    );
  const unknown = await call("verifyUnverifiedChannel", { channelId: "f".repeat(24), signature: SIGNATURE });
  expectGameError(unknown, "NotFound", "createUnverifiedChannel");
  const refused = await call("verifyUnverifiedChannel", {
    channelId,
    signature: `${SIGNATURE.slice(0, -4)}dEaD`,
  });
  expectGameError(refused, "NotAuthenticated", "not from the wallet");
  await game.advance("15m");
  const late = await call("verifyUnverifiedChannel", { channelId, signature: SIGNATURE });
  expectGameError(late, "NotAuthenticated", "expired at 2026-01-15T09:15:00.000Z");
});

test("a player in two games has a session and a channel in each [fidelity: Game launcher: resources › Sessions]", async () => {
  const game = await startGame();
  const lantern = decodeJwt((await game.mint({ gameId: LANTERN })).token);
  const tide = decodeJwt((await game.mint({ gameId: "tide-runners" })).token);
  expect(tide.id).toBe(lantern.id);
  expect(tide.gameId).toBe(TIDE);
  expect(tide.channelId).not.toBe(lantern.channelId);
});
