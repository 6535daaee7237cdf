import { expect, test } from "vitest";
import { expectGameError, LANTERN, startGame, TIDE, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

const NOW = Date.UTC(2026, 0, 15, 9);
type Game = Awaited<ReturnType<typeof startGame>>;
const list = (game: Game, query = "") => game.call("GET", `/game/activities${query}`);
const texts = ({ body }: Json) => body.result.data.map(({ displayText }: Json) => displayText);

test("every player sees a custom activity [fidelity: Game launcher: resources › Custom activity]", async () => {
  const game = await startGame();
  const { ok, player } = await game.mint();
  const sent = await ok("sendCustomActivity", {
    label: "{username} ({wallet}) lit {lamp}",
    eventId: "lamp-9",
  });
  const text = `${player.username} (${player.address}) lit {lamp}`;
  expect(sent).toEqual({
    success: true,
    activity: {
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      label: text,
      normalizedAddress: player.address,
      timestamp: NOW,
      eventId: "lamp-9",
      gameId: LANTERN,
    },
  });
  expect((await list(game)).body).toEqual({
    success: true,
    result: {
      pageNumber: 1,
      pageSize: 10,
      data: [
        {
          type: "off-chain",
          eventId: "lamp-9",
          gameId: LANTERN,
          gameName: "Lantern Keeper",
          gameSlug: "lantern-keeper",
          user: { id: player.id, address: player.address, username: player.username },
          displayText: text,
          timestamp: NOW,
        },
      ],
    },
  });
});

test("activities are listed newest first, and filtered by wallet, game and type [fidelity: Game launcher: requests › Order of lists · Game launcher: requests › Activities · Game launcher: requests › Games · Game launcher: resources › Custom activity]", async () => {
  const game = await startGame();
  const ada = await game.mint();
  const bo = await game.mint({ address: wallet("b"), gameId: TIDE });
  for (const [player, label] of [
    [ada, "one"],
    [bo, "two"],
    [ada, "three"],
  ] as const)
    await player.ok("sendCustomActivity", { label, eventId: "same" });
  expect(texts(await list(game))).toEqual(["three", "two", "one"]);
  for (const [query, expected] of [
    [`?walletAddress=${wallet("A")}`, ["three", "one"]],
    [`?walletAddress=${wallet("e")}`, []],
    [`?gameId=${TIDE}`, ["two"]],
    ["?gameId=tide-runners", ["two"]],
    ["?gameId=nowhere", []],
    ["?type=off-chain", ["three", "two", "one"]],
    ["?type=on-chain", []],
    ["?pageSize=2", ["three", "two"]],
    ["?pageSize=2&pageNumber=2", ["one"]],
    ["?pageNumber=9", []],
    ["?type=&walletAddress=&gameId=&colour=green", ["three", "two", "one"]],
    [`?walletAddress=${wallet("a")}&gameId=${LANTERN}&type=off-chain&pageSize=1&pageNumber=2`, ["one"]],
    ["/?pageSize=1", ["three"]],
  ] as [string, string[]][])
    expect(texts(await list(game, query)), query).toEqual(expected);
});

test("an invalid activity query is rejected [fidelity: Game launcher: requests › Activities]", async () => {
  const game = await startGame();
  for (const [query, says] of [
    ["?pageSize=0", "from 1 to 100"],
    ["?pageSize=101", "from 1 to 100"],
    ["?pageSize=-1", "from 1 to 100"],
    ["?pageSize=1.5", "from 1 to 100"],
    ["?pageSize=ten", "from 1 to 100"],
    ["?pageSize=1e2", "from 1 to 100"],
    ["?pageSize=99999999999999999999", "from 1 to 100"],
    ["?pageNumber=0", "pageNumber"],
    ["?pageNumber=-1", "pageNumber"],
    ["?pageSize=1&pageSize=2", "pageSize"],
    ["?type=onchain", "on-chain, off-chain"],
    ["?walletAddress=0x12", "40 hexadecimal"],
    [`?gameId=${"x".repeat(101)}`, "gameId"],
  ] as const)
    expectGameError(await list(game, query), "BadRequest", says, query);
});

test("a page walk over the seeded activities returns each activity once", async () => {
  const game = await startGame({}, { seed: "sandglass" });
  const seen: Json[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = (await list(game, `?pageSize=37&pageNumber=${page}`)).body.result;
    if (data.length === 0) break;
    seen.push(...data);
  }
  expect(seen).toHaveLength(400);
  expect(new Set(seen.map((activity) => JSON.stringify(activity))).size).toBe(400);
  const times = seen.map(({ timestamp }) => timestamp);
  expect(times).toEqual([...times].sort((a, b) => b - a));
});

test("custom activities and notifications are limited in length and number", async () => {
  const game = await startGame();
  const { ok, call } = await game.mint();
  const refused: [string, Json, string][] = [
    ["sendCustomActivity", { eventId: "e" }, "label"],
    ["sendCustomActivity", { label: "x" }, "eventId"],
    ["sendCustomActivity", { label: "", eventId: "e" }, "1 to 500"],
    ["sendCustomActivity", { label: "x".repeat(501), eventId: "e" }, "1 to 500"],
    ["sendCustomActivity", { label: "x", eventId: "e".repeat(201) }, "1 to 200"],
    ["sendCustomActivity", { label: "x", eventId: 5 }, "eventId must be a string"],
    ["sendNotification", {}, "message"],
    ["sendNotification", { message: "x", type: "warning" }, "success, error"],
    ["sendNotification", { message: 5 }, "message must be a string"],
  ];
  for (const [method, body, says] of refused) expectGameError(await call(method, body), "BadRequest", says);
  expect(await ok("sendNotification", { message: "Saved.", type: "success" })).toEqual({ success: true });
  expect(await ok("sendNotification", { message: "Lost." })).toEqual({ success: true });
  const { data } = (await game.journal("notification.sent"))[1]!;
  expect(data).toMatchObject({ game: "lantern-keeper", type: "success", message: "Lost." });
});
