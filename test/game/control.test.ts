import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { folderOf, runAt } from "../support/cli.ts";
import { expectRefusal } from "../support/control-errors.ts";
import { LANTERN, startGame, TIDE, wallet } from "../support/game.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";

test("a token can be minted for a player given by id, wallet or username", async () => {
  const game = await startGame({}, { seed: "sandglass" });
  const mint = async (body: Json) => (await game.control("POST", "/game/tokens", body)).body;
  const main = await mint({});
  expect(main).toEqual({
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    player: {
      id: expect.any(String),
      address: "0x5a0f3b1c9d7e2468ace013579bdf02468ace1357",
      username: "mira_lantern",
      avatar: expect.stringMatching(/^data:/),
    },
    game: { id: LANTERN, slug: "lantern-keeper", name: "Lantern Keeper" },
    session_id: (decodeJwt(main.token) as Json).jti,
    expires_at: "2026-01-16T09:00:00.000Z",
  });
  const { player } = main;
  for (const name of [
    player.id,
    player.address,
    player.address.toUpperCase().replace("0X", "0x"),
    player.username,
  ])
    expect((await mint({ player: name })).player, name).toEqual(player);
  expect((await mint({ address: player.address, gameId: "tide-runners" })).game.id).toBe(TIDE);
  expect((await mint({ player: "夜光" })).player.username).toBe("夜光");
  const fresh = await mint({ address: wallet("E"), expiresIn: "90s" });
  expect(fresh.player).toMatchObject({
    address: wallet("e"),
    username: expect.stringMatching(/^[a-z]+_[a-z]+\d*$/),
  });
  expect(fresh.expires_at).toBe("2026-01-15T09:01:30.000Z");
  expect((await mint({ player: wallet("f") })).player.address).toBe(wallet("f"));
  expect((await mint({ expiresIn: 60_000 })).expires_at).toBe("2026-01-15T09:01:00.000Z");
});

test("a game token requested without a player is issued to the first player who joined, or to a new player", async () => {
  const folder = folderOf({
    "game.json": JSON.stringify({ players: [{ username: "zoe", address: wallet(1) }, { username: "ann" }] }),
  });
  const filled = await startSandbox({ from: folder });
  const minted = (await filled.control("POST", "/game/tokens", {})).body;
  expect(minted.player.username).toBe("zoe");
  const { player } = (await filled.control("GET", "/status")).body;
  expect(player).toEqual({ address: wallet(1), token: minted.token });
  const { stdout } = await runAt(filled, "env");
  expect(stdout).toContain(`SANDGLASS_PLAYER_TOKEN='${minted.token}'`);
  expect((await filled.control("GET", "/game/players")).body.data).toHaveLength(2);

  const empty = await startGame();
  const [first, second] = [
    (await empty.control("POST", "/game/tokens", {})).body,
    (await empty.control("POST", "/game/tokens", {})).body,
  ];
  expect(second.player).toEqual(first.player);
});

test("a token request that cannot be fulfilled is rejected with an error that gives the reason", async () => {
  const game = await startGame();
  const refused: [Json, number, string, string][] = [
    [{ player: "nobody" }, 404, "not_found", "'nobody'"],
    [{ gameId: "nowhere" }, 404, "not_found", "'nowhere'"],
    [{ player: "a", address: wallet("a") }, 400, "bad_request", "either"],
    [{ address: "0x12" }, 400, "bad_request", "address"],
    [{ player: "" }, 400, "bad_request", "player"],
    [{ player: 5 }, 400, "bad_request", "player"],
    [{ colour: "green" }, 400, "bad_request", "colour"],
    [{ expiresIn: "soon" }, 400, "invalid_duration", "soon"],
    [{ expiresIn: "500ms" }, 400, "invalid_duration", "1 s"],
    [{ expiresIn: -1 }, 400, "invalid_duration", "-1"],
    [{ expiresIn: "366d" }, 400, "invalid_duration", "365 d"],
  ];
  for (const [body, status, code, says] of refused) {
    const answer = await game.control("POST", "/game/tokens", body);
    expectRefusal(answer, status, code, JSON.stringify(body));
    expect(answer.text).toContain(says);
  }
  expect((await game.control("GET", "/game/players")).body.data).toEqual([]);
});

test("the control API lists players, games and sessions, ends a session and removes a player", async () => {
  const game = await startGame();
  const { ok, player, session_id, token } = await game.mint();
  await ok("channelHeartbeat");
  const { data: games } = (await game.control("GET", "/game/games")).body;
  expect(games[0]).toEqual({
    id: LANTERN,
    slug: "lantern-keeper",
    name: "Lantern Keeper",
    secret: "game_secret_sandbox_lantern_keeper_0001",
    signatures: "optional",
  });
  expect((await game.control("GET", "/game/players")).body.data).toEqual([
    { ...player, created_at: "2026-01-15T09:00:00.000Z", items: [] },
  ]);
  const session = {
    id: session_id,
    game_id: LANTERN,
    player_id: player.id,
    channel_id: (decodeJwt(token) as Json).channelId,
    token,
    opened_at: "2026-01-15T09:00:00.000Z",
    expires_at: "2026-01-16T09:00:00.000Z",
    ended_at: null,
    last_heartbeat_at: "2026-01-15T09:00:00.000Z",
    present: true,
  };
  expect((await game.control("GET", "/game/sessions?limit=5")).body.data).toEqual([session]);
  const ended = await game.control("DELETE", `/game/sessions/${session_id}`);
  expect(ended.body).toEqual({ ...session, ended_at: "2026-01-15T09:00:00.000Z", present: false });
  expectRefusal(await game.control("DELETE", `/game/sessions/${session_id}`), 409, "invalid_state");
  expectRefusal(await game.control("DELETE", "/game/sessions/nothing"), 404, "not_found");
  expectRefusal(await game.control("GET", "/game/sessions?limit=0"), 400, "bad_request");
  expect((await game.control("DELETE", `/game/players/${player.username}`)).body).toEqual({
    id: player.id,
    removed: true,
  });
  expectRefusal(await game.control("DELETE", `/game/players/${player.id}`), 404, "not_found");
  expect((await game.control("GET", "/game/players")).body.data).toEqual([]);
});

test("a message is posted as a player with write access, or as the game [fidelity: Game launcher: requests › Addresses]", async () => {
  const game = await startGame();
  const [ada, bo] = [await game.mint(), await game.mint({ address: wallet("b") })];
  await game.mint({ address: wallet("c") });
  const { _id } = await ada.ok("createMessageChannel", { otherParticipants: [wallet("b")], name: "Two" });
  const post = (body: Json) => game.control("POST", "/game/messages", body);
  const sent = (await post({ channel: _id, from: bo.player.username, content: "hi" })).body;
  expect(sent).toMatchObject({ channelId: _id, senderId: wallet("b"), content: "hi" });
  const fromGame = (await post({ channel: "Two", content: "welcome" })).body;
  expect(fromGame).toMatchObject({ channelId: _id, senderId: LANTERN });
  expect((await ada.ok("getChannelMessages", { channelId: _id })).data).toEqual([fromGame, sent]);
  expectRefusal(await post({ channel: _id, from: wallet("c"), content: "x" }), 403, "forbidden");
  expectRefusal(await post({ channel: _id, from: "nobody", content: "x" }), 404, "not_found");
  expectRefusal(await post({ channel: "Three", content: "x" }), 404, "not_found");
  expectRefusal(await post({ channel: "Two", content: "x", gameId: "tide-runners" }), 404, "not_found");
  expectRefusal(await post({ channel: "Two", content: "" }), 400, "bad_request");
  const [first] = (await game.control("GET", "/game/channels")).body.data;
  expect(first).toMatchObject({
    id: _id,
    kind: "direct",
    name: "Two",
    participants: [ada.player.username, bo.player.username],
    messages: 2,
  });
});

test("GET /game/rules lists each rule with how often it fired and why it was last skipped [fidelity: Simulated › Notifications of games]", async () => {
  const game = await startGame({
    rules: [
      {
        name: "r",
        when: "go",
        if: { value: { gte: 3 } },
        then: [{ notification: { message: "{value}!", type: "error" } }],
      },
    ],
  });
  const { ok, player } = await game.mint();
  for (const value of [5, 1, 7, 2]) {
    await game.advance("1m");
    await ok("triggerRulesEngine", { trigger: "go", value });
  }
  expect((await game.control("GET", "/game/rules")).body.data).toEqual([
    {
      name: "r",
      game: null,
      when: "go",
      if: { value: { gte: 3 } },
      then: [{ notification: { message: "{value}!", type: "error" } }],
      fired: 2,
      skipped: 2,
      last_fired_at: "2026-01-15T09:03:00.000Z",
      last_skipped_at: "2026-01-15T09:04:00.000Z",
      last_reason: "value must be at least 3, not 2",
    },
  ]);
  expect((await game.control("GET", "/game/notifications")).body.data).toMatchObject([
    { player: player.username, type: "error", message: "7!" },
    { message: "5!" },
  ]);
});

test("the status includes the game launcher and the seeded player with a valid token", async () => {
  const game = await startGame({}, { seed: "sandglass" });
  const status = async () => (await game.control("GET", "/status")).body;
  const { bases, player, counts } = await status();
  expect(bases.game).toBe(`${game.url}/game`);
  expect(counts).toMatchObject({ players: 60, channels: 40, messages: 1_000, scores: 500, activities: 400 });
  const works = async (launcherJwt: string) =>
    (await game.call("POST", "/game/launcher/channel-status", { body: { launcherJwt } })).body;
  expect(await works(player.token)).toMatchObject({ exists: true, wallet: player.address });
  await game.advance("23h");
  expect((await status()).player).toEqual(player);
  await game.advance("1h");
  const later = (await status()).player;
  expect(later.token).not.toBe(player.token);
  expect(await works(later.token)).toMatchObject({ exists: true });
  expect((await status()).player).toEqual(later);
  await game.reset();
  expect((await status()).player).toEqual(player);
  expect(await works(player.token)).toMatchObject({ exists: true });
  const again = await startSandbox({ seed: "sandglass" });
  expect((await again.control("GET", "/status")).body.player).toEqual(player);
  const other = await startSandbox({ seed: "another" });
  expect((await other.control("GET", "/status")).body.player.token).not.toBe(player.token);
  const empty = await startSandbox();
  expect((await empty.control("GET", "/status")).body.player).toBeNull();
});

test("the request log contains game launcher calls without their tokens", async () => {
  const game = await startGame();
  const { ok, call, token } = await game.mint();
  await ok("setUserScore", { score: 1 });
  await call("setState", { state: JSON.stringify("x".repeat(300_000)) });
  const { data } = (await game.control("GET", "/requests?limit=10")).body;
  expect(data.map(({ area, path }: Json) => [area, path])).toEqual([
    ["game", "/game/launcher/set-user-score"],
    ["game", "/game/launcher/set-state"],
  ]);
  const [small, large] = await Promise.all(
    data.map(async ({ id }: Json) => (await game.control("GET", `/requests/${id}`)).body),
  );
  expect(JSON.parse(small.body)).toEqual({ launcherJwt: "[redacted]", score: 1 });
  expect(large.body).toMatch(/^\(300\d{3} bytes, not stored\)$/);
  expect(large.response_body).toMatch(/bytes, not stored/);
  expect(JSON.stringify([small, large, data])).not.toContain(token);
});
