import { expect, test } from "vitest";
import { expectGameError, LANTERN, startGame, TIDE, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

const NOW = Date.UTC(2026, 0, 15, 9);
const ids = (list: Json) => list.data.map(({ _id }: Json) => _id);

test("a new player has exactly one channel with the game [fidelity: Game launcher: resources › Participants]", async () => {
  const game = await startGame();
  const { ok, player } = await game.mint();
  const list = await ok("getMessageChannels");
  expect(list).toEqual({
    total: 1,
    limit: 20,
    skip: 0,
    data: [
      {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        name: "Lantern Keeper",
        chatPicture: player.avatar,
        createdAt: NOW,
        updatedAt: NOW,
        participants: [
          { wallet: player.address, userGroup: 2, permissions: ["read", "write", "moderate", "admin"] },
        ],
        gameId: LANTERN,
      },
    ],
  });
  const again = await game.mint();
  expect((await again.ok("getMessageChannels")).data).toEqual(list.data);
});

test("a player can create group channels, but only one direct channel with each other player [fidelity: Game launcher: requests › Addresses · Game launcher: resources › Channels · Game launcher: resources › New channel]", async () => {
  const game = await startGame();
  const [ada, bo, cy] = [
    await game.mint(),
    await game.mint({ address: wallet("b") }),
    await game.mint({ address: wallet("c") }),
  ];
  const direct = await ada.ok("createMessageChannel", { otherParticipants: [wallet("B")] });
  expect(direct).toMatchObject({
    name: `${ada.player.username}, ${bo.player.username}`,
    chatPicture: bo.player.avatar,
    gameId: LANTERN,
    participants: [
      { wallet: wallet("a"), userGroup: 2 },
      { wallet: wallet("b"), userGroup: 0, permissions: ["read", "write"] },
    ],
  });
  expect(await bo.ok("createMessageChannel", { otherParticipants: [wallet("a")] })).toEqual(direct);
  const group = {
    otherParticipants: [wallet("b"), wallet("c")],
    name: "Three",
    chatPicture: "https://pictures.example/3.png",
  };
  const three = await ada.ok("createMessageChannel", group);
  expect(three).toMatchObject({ name: "Three", chatPicture: group.chatPicture });
  expect((await ada.ok("createMessageChannel", group))._id).not.toBe(three._id);
  expect((await cy.ok("getMessageChannels")).total).toBe(3);

  const refused: [Json, "BadRequest" | "NotFound", string][] = [
    [{}, "BadRequest", "otherParticipants"],
    [{ otherParticipants: [] }, "BadRequest", "1 to 99 items"],
    [{ otherParticipants: wallet("b") }, "BadRequest", "an array"],
    [{ otherParticipants: ["bo"] }, "BadRequest", "40 hexadecimal"],
    [{ otherParticipants: [wallet("a")] }, "BadRequest", "not the caller"],
    [{ otherParticipants: [wallet("b"), wallet("B")] }, "BadRequest", "once"],
    [{ otherParticipants: [wallet("d")] }, "NotFound", wallet("d")],
    [
      {
        otherParticipants: Array.from({ length: 100 }, (_, index) => `0x${String(index).padStart(40, "0")}`),
      },
      "BadRequest",
      "99",
    ],
  ];
  for (const [body, name, says] of refused)
    expectGameError(
      await ada.call("createMessageChannel", body),
      name,
      says,
      JSON.stringify(body).slice(0, 80),
    );
});

test("messages are sent, edited and deleted, and the channel with the latest message comes first [fidelity: Game launcher: resources › Participants · Game launcher: requests › Order of lists]", async () => {
  const game = await startGame();
  const [ada, bo] = [await game.mint(), await game.mint({ address: wallet("b") })];
  const { _id: channelId } = await ada.ok("createMessageChannel", { otherParticipants: [wallet("b")] });
  await game.advance("1m");
  const sent = await ada.ok("sendChannelMessage", { channelId, content: "hello" });
  expect(sent).toEqual({
    _id: expect.stringMatching(/^[0-9a-f]{24}$/),
    channelId,
    senderId: wallet("a"),
    content: "hello",
    createdAt: NOW + 60_000,
    updatedAt: NOW + 60_000,
  });
  const answer = await bo.ok("sendChannelMessage", { channelId, content: "hi 👋" });
  expect((await bo.ok("getMessageChannels")).data[0]).toMatchObject({
    _id: channelId,
    updatedAt: NOW + 60_000,
  });
  expect(await bo.ok("getChannelMessages", { channelId })).toEqual({
    total: 2,
    limit: 20,
    skip: 0,
    data: [answer, sent],
  });

  await game.advance("1m");
  const edited = await ada.ok("editChannelMessage", { messageId: sent._id, newContent: "hello, Bo" });
  expect(edited).toEqual({ ...sent, content: "hello, Bo", updatedAt: NOW + 120_000 });
  expectGameError(
    await bo.call("editChannelMessage", { messageId: sent._id, newContent: "x" }),
    "Forbidden",
    "author",
  );
  expectGameError(await bo.call("unsendChannelMessage", { messageId: sent._id }), "Forbidden", "moderate");
  expect(await ada.ok("unsendChannelMessage", { messageId: answer._id })).toEqual(answer);
  expect(await bo.ok("getChannelMessages", { channelId })).toMatchObject({ total: 1, data: [edited] });
  expectGameError(await bo.call("unsendChannelMessage", { messageId: answer._id }), "NotFound", answer._id);
  expect((await game.journal("message.*")).map(({ type }) => type)).toEqual([
    "message.sent",
    "message.sent",
    "message.edited",
    "message.unsent",
  ]);
});

test("a player cannot access unknown channels or channels of other players or games [fidelity: Game launcher: resources › Channels]", async () => {
  const game = await startGame();
  const [ada, bo] = [await game.mint(), await game.mint({ address: wallet("b") })];
  const elsewhere = await game.mint({ gameId: TIDE });
  await game.mint({ address: wallet("c") });
  const { _id: others } = await bo.ok("createMessageChannel", { otherParticipants: [wallet("c")] });
  const { _id: messageId } = await bo.ok("sendChannelMessage", { channelId: others, content: "secret" });
  const [mine] = ids(await ada.ok("getMessageChannels"));

  for (const channelId of ["f".repeat(24), "nowhere", "' or 1=1 --"]) {
    for (const [method, body] of [
      ["getChannelMessages", {}],
      ["sendChannelMessage", { content: "x" }],
    ] as const)
      expectGameError(await ada.call(method, { channelId, ...body }), "NotFound", channelId);
  }
  const refused: [string, Json][] = [
    ["getChannelMessages", { channelId: others }],
    ["sendChannelMessage", { channelId: others, content: "x" }],
    ["editChannelMessage", { messageId, newContent: "x" }],
    ["unsendChannelMessage", { messageId }],
  ];
  for (const [method, body] of refused) {
    const answer = await ada.call(method, body);
    expectGameError(answer, "Forbidden", "is not a participant", method);
    expect(answer.text).not.toContain("secret");
  }
  expectGameError(
    await elsewhere.call("getChannelMessages", { channelId: mine }),
    "Forbidden",
    "does not belong to the token's game",
  );
  expect((await bo.ok("getChannelMessages", { channelId: others })).total).toBe(1);
});

test("a reader cannot write, and a moderator can delete others' messages [fidelity: Game launcher: resources › Participants]", async () => {
  const game = await startGame({}, { seed: "sandglass" });
  const owner = await game.mint({ player: "mira_lantern" });
  const { data } = await owner.ok("getMessageChannels", { limit: 100 });
  const large = data.find(({ name }: Json) => name === "Lantern Keeper: everyone");
  const by = (test: (part: Json) => boolean) => large.participants.find(test).wallet;
  const muted = await game.mint({ player: by(({ permissions }) => permissions.length === 1) });
  const moderator = await game.mint({ player: by(({ userGroup }) => userGroup === 1) });
  const member = await game.mint({
    player: by(({ userGroup, permissions }) => userGroup === 0 && permissions.length > 1),
  });
  const message = { channelId: large._id, content: "x" };
  expectGameError(
    await muted.call("sendChannelMessage", message),
    "Forbidden",
    "does not have permission to write",
  );
  expect((await muted.ok("getChannelMessages", { channelId: large._id })).total).toBeGreaterThan(100);
  const { _id: messageId } = await owner.ok("sendChannelMessage", message);
  expectGameError(
    await member.call("unsendChannelMessage", { messageId }),
    "Forbidden",
    "does not have permission to moderate",
  );
  expect(await moderator.ok("unsendChannelMessage", { messageId })).toMatchObject({ content: "x" });
});

test.each([1, 7, 100])(
  "pages of %i over channels and messages return every item once, in order [fidelity: Game launcher: requests › Order of lists]",
  async (limit) => {
    const game = await startGame({}, { seed: "sandglass" });
    const { ok } = await game.mint({ player: "mira_lantern" });
    async function walk(method: string, body: Json = {}) {
      const pages: Json[] = [];
      do pages.push(await ok(method, { ...body, limit, skip: pages.length * limit }));
      while (pages.length * limit < pages[0].total && pages.length < 30);
      for (const [index, page] of pages.entries())
        expect(page).toMatchObject({ total: pages[0].total, limit, skip: index * limit });
      return { total: pages[0].total, items: pages.flatMap(({ data }) => data) };
    }
    const channels = await walk("getMessageChannels");
    expect(channels.items).toHaveLength(channels.total);
    expect(new Set(channels.items.map(({ _id }) => _id)).size).toBe(channels.total);
    const order = channels.items.map(({ updatedAt, _id }: Json) => `${updatedAt} ${_id}`);
    expect(order).toEqual([...order].sort().reverse());
    const busy = channels.items.find(({ name }) => name === "night shift");
    const messages = await walk("getChannelMessages", { channelId: busy._id });
    const seen = Math.min(messages.total, 30 * limit);
    expect(messages.items).toHaveLength(seen);
    expect(new Set(messages.items.map(({ _id }) => _id)).size).toBe(seen);
    const times = messages.items.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort((a, b) => b - a));
  },
);
