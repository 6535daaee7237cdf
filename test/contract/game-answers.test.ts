import { expect, test } from "vitest";
import { kebab, LANTERN, ORBIT, startGame, TIDE, wallet } from "../support/game.ts";
import { contractOf, operationsOf } from "../support/openapi.ts";
import type { CallOptions, Json } from "../support/sandbox.ts";

/** Checks that responses match the OpenAPI document: every status and every property must be documented. */

async function start() {
  const game = await startGame(
    { rules: [{ name: "r", when: "go", then: [{ item: { name: "Key" } }] }] },
    { seed: "sandglass" },
  );
  const document = (await game.call("GET", "/game/openapi.json")).body;
  const { check, seen } = contractOf(document);
  const call = async (path: string, body: Json, options: CallOptions = {}): Promise<Json> =>
    check("POST", path, await game.call("POST", `/game${path}`, { body, ...options }));
  return { game, document, check, call, seen };
}

test("every game launcher operation matches its OpenAPI document by path and by header, for the default seed [fidelity: Game launcher › Operations · Game launcher › Shapes]", async () => {
  const { game, document, check, call, seen } = await start();
  const { token: launcherJwt, player } = await game.mint({ player: "mira_lantern" });
  const by = (method: string) => ({ headers: { "x-service-method": method } });
  const operation = async (method: string, body: Json = {}): Promise<Json> => {
    await call("/launcher", { launcherJwt, ...body }, by(method));
    return call(`/launcher/${kebab(method)}`, { launcherJwt, ...body });
  };

  await operation("channelHeartbeat");
  await operation("channelStatus");
  const channels = await operation("getMessageChannels", { limit: 100 });
  for (const { _id } of channels.data) await operation("getChannelMessages", { channelId: _id, limit: 100 });
  const other = channels.data.find(({ participants }: Json) => participants.length > 5).participants[3]
    .wallet;
  const { _id: channelId } = await operation("createMessageChannel", { otherParticipants: [other] });
  const first = await call("/launcher/send-channel-message", { launcherJwt, channelId, content: "x" });
  await operation("sendChannelMessage", { channelId, content: "x" });
  await operation("editChannelMessage", { messageId: first._id, newContent: "y" });
  await call("/launcher/unsend-channel-message", { launcherJwt, messageId: first._id });
  for (const state of ["{}", "[1]", "null", '"x"', "5", "true"])
    await operation("setState", { state, label: state });
  await operation("getStates", { limit: 100 });
  await operation("setUserScore", { score: -1.5, nonce: "n" });
  await operation("getUserScores", { limit: 100 });
  await operation("getUsersPositionInGameScoreLeaderboard", { gameId: TIDE, wallet: player.address });
  await operation("triggerRulesEngine", { trigger: "go", value: 1 });
  await operation("triggerRulesEngine", { trigger: "nothing" });
  await operation("sendCustomActivity", { label: "x", eventId: "e" });
  await operation("sendNotification", { message: "x", type: "error" });
  await operation("trackGameSessions", { sessionId: "s", state: "{}", endTime: 5 });
  const { channelId: pending } = await operation("createUnverifiedChannel", { wallet: wallet("a") });
  await call("/launcher/verify-unverified-channel", {
    channelId: pending,
    signature: `0x${"1b".repeat(65)}`,
  });
  for (const gameId of [LANTERN, TIDE, ORBIT])
    await call("/scores", { gameId, limit: 100 }, by("getGameScoresLeaderboard"));
  await call("/scores", { gameId: TIDE, wallet: wallet(1) }, by("getUsersPositionInGameScoreLeaderboard"));
  for (let page = 1; page <= 4; page += 1)
    check("GET", "/activities", await game.call("GET", `/game/activities?pageSize=100&pageNumber=${page}`));

  const documented = operationsOf(document).map(({ method, path }) => `${method} ${path}`);
  expect(documented.filter((one) => !seen.has(one))).toEqual([]);
});

test("error responses from the game launcher match its OpenAPI document for every status [fidelity: Game launcher › Errors]", async () => {
  const { game, call, check } = await start();
  const { token: launcherJwt } = await game.mint({ player: "mira_lantern" });
  const outsider = await game.mint({ address: wallet("a") });
  const [mine] = (await game.call("POST", "/game/launcher/get-message-channels", { body: { launcherJwt } }))
    .body.data;
  const codes: number[] = [];
  const met = (body: Json) => codes.push(body.code);
  met(await call("/launcher/set-state", { launcherJwt, state: "{" }));
  met(await call("/launcher/set-state", "{"));
  met(await call("/launcher/set-state", {}));
  met(await call("/launcher/get-channel-messages", { launcherJwt: outsider.token, channelId: mine._id }));
  met(await call("/launcher/get-channel-messages", { launcherJwt, channelId: "x" }));
  met(await call("/launcher", { launcherJwt }));
  met(
    await call("/scores", { gameId: "x" }, { headers: { "x-service-method": "getGameScoresLeaderboard" } }),
  );
  met(check("GET", "/activities", await game.call("GET", "/game/activities?type=x")));
  for (const status of [429, 500]) {
    await game.fault({ status, times: 1 });
    met(await call("/launcher/set-state", {}));
  }
  expect([...new Set(codes)].sort()).toEqual([400, 401, 403, 404, 405, 429, 500]);
});
