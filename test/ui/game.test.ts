import { signal } from "@preact/signals";
import { describe, expect, test, vi } from "vitest";
import { createTransport } from "../../ui/api.ts";
import type { JournalEntry } from "../../ui/api-types.ts";
import type { Live } from "../../ui/live.ts";
import { createGameApi } from "../../ui/models/game/api.ts";
import { GameModel } from "../../ui/models/game/model.ts";
import {
  findPlayer,
  itemsText,
  openCounts,
  openSession,
  searchPlayers,
  senderName,
  stateOf,
} from "../../ui/models/game/players.ts";
import { describeRuleEntry } from "../../ui/models/game/rule-log.ts";
import { actionWords, conditionWords, outcomeWords, readTrigger } from "../../ui/models/game/rules.ts";
import type { Game, Player, Rule, Session } from "../../ui/models/game/types.ts";
import { entry } from "./support/entries.ts";

const NOW = Date.parse("2026-01-15T09:00:00Z");
const game = (over: Partial<Game> = {}): Game => ({
  id: "g1",
  slug: "lantern",
  name: "Lantern",
  secret: "s3cret",
  signatures: "off",
  ...over,
});
const player = (over: Partial<Player> = {}): Player => ({
  id: "p1",
  address: "0xaa01",
  username: "Ada",
  avatar: "",
  created_at: "2026-01-01T00:00:00Z",
  items: [],
  ...over,
});
const session = (over: Partial<Session> = {}): Session => ({
  id: "s1",
  game_id: "g1",
  player_id: "p1",
  channel_id: "c1",
  token: "jwt",
  opened_at: "2026-01-15T08:00:00Z",
  expires_at: "2026-01-15T10:00:00Z",
  ended_at: null,
  last_heartbeat_at: null,
  present: false,
  ...over,
});

function fakeLive() {
  const hear = new Set<(entries: JournalEntry[]) => void>();
  const replaced = new Set<() => void>();
  const live = {
    connection: signal({ state: "open", attempt: 0 }),
    onEntries: (listener: (entries: JournalEntry[]) => void) => {
      hear.add(listener);
      return () => void hear.delete(listener);
    },
    onReplaced: (listener: () => void) => {
      replaced.add(listener);
      return () => void replaced.delete(listener);
    },
    onReturned: () => () => {},
  } as unknown as Live;
  return {
    live,
    say: (...entries: JournalEntry[]) => {
      for (const listener of hear) listener(entries);
    },
    replace: () => {
      for (const listener of replaced) listener();
    },
    listeners: () => hear.size + replaced.size,
  };
}

describe("calls", () => {
  const answering = (status: number, body: unknown) => {
    const asked: { url: string; init: RequestInit }[] = [];
    const fetcher = (async (url: URL, init: RequestInit) => {
      asked.push({ url: String(url), init });
      return new Response(JSON.stringify(body), { status });
    }) as unknown as typeof fetch;
    return { api: createGameApi(createTransport("http://127.0.0.1:4400/w/demo/", fetcher)), asked };
  };

  test("go below the world's own address, as the player", async () => {
    const { api, asked } = answering(200, { total: 1, data: [{ _id: "c" }] });
    const page = await api.channels({ token: "jwt", game: game() }, { limit: 25, skip: 0 });
    expect(page).toEqual({ total: 1, data: [{ _id: "c" }] });
    expect(asked[0]!.url).toBe("http://127.0.0.1:4400/w/demo/game/launcher/get-message-channels");
    expect(JSON.parse(asked[0]!.init.body as string)).toEqual({ launcherJwt: "jwt", limit: 25, skip: 0 });
    expect(asked[0]!.init.headers).toEqual({ "content-type": "application/json", "x-sandbox-unlisted": "1" });
  });

  test("are signed by the sandbox where the game requires it, with a new nonce each", async () => {
    const { api, asked } = answering(200, { nonce: "n", signature: "s" });
    const access = { token: "jwt", game: game({ signatures: "required" }) };
    await api.trigger(access, { trigger: "t" });
    await api.trigger(access, { trigger: "t" });
    const [signing, signed, again] = asked;
    expect(signed!.init.headers).toMatchObject({ "x-request-nonce": "n", "x-request-signature": "s" });
    expect(signing!.url).toMatch(/_sandbox\/game\/signature\?gameId=[^&]+&nonce=\d+$/);
    expect(again!.url).not.toBe(signing!.url);
  });

  test.each([
    [{ error: { code: "not_found", message: "Gone.", hint: "Look." } }, "Gone.", "not_found"],
    [
      { name: "Forbidden", message: "Not yours.", code: 403, className: "forbidden" },
      "Not yours.",
      "Forbidden",
    ],
    [{}, "The server answered 403.", "unknown"],
  ])("that are refused say why, in either API's form: %j", async (body, message, code) => {
    const { api } = answering(403, body);
    await expect(api.games()).rejects.toMatchObject({ status: 403, message, code });
  });

  test("without a recipient say so", async () => {
    const api = createGameApi(
      createTransport("http://127.0.0.1:1/", async () => {
        throw new TypeError("fetch failed");
      }),
    );
    await expect(api.games()).rejects.toMatchObject({ status: 0, message: "The sandbox does not answer." });
  });
});

describe("sessions", () => {
  test.each([
    [{}, "open"],
    [{ present: true }, "present"],
    [{ expires_at: "2026-01-15T09:00:00Z", present: true }, "expired"],
    [{ ended_at: "2026-01-15T08:30:00Z" }, "ended"],
  ] as const)("of %j are %s", (over, state) => expect(stateOf(session(over), NOW)).toBe(state));

  test("the newest that holds, of the game, is used", () => {
    const list = [
      session({ id: "ended", ended_at: "2026-01-15T08:30:00Z" }),
      session({ id: "elsewhere", game_id: "g2" }),
      session({ id: "foreign", token: null }),
      session({ id: "newest" }),
      session({ id: "older" }),
    ];
    expect(openSession(list, "p1", "g1", NOW)?.id).toBe("newest");
    expect(openSession(list, "p1", "g1", NOW + 3_600_000)).toBeUndefined();
    expect(openCounts(list, NOW)).toEqual(new Map([["p1", 4]]));
  });
});

test("players are found by words of their name, wallet and id; one by the whole of any", () => {
  const list = [player(), player({ id: "p2", username: "Bo <b>", address: "0xBB02" })];
  expect(searchPlayers(list, "bb02 BO").map(({ id }) => id)).toEqual(["p2"]);
  expect(searchPlayers(list, "")).toHaveLength(2);
  expect(findPlayer(list, " 0xbb02 ")?.id).toBe("p2");
  expect(findPlayer(list, "ad")).toBeUndefined();
  expect(senderName("g1", list, [game()])).toBe("Lantern");
  expect(senderName("0xaa01", list, [game()])).toBe("Ada");
  expect(senderName("0xff", list, [game()])).toBe("0xff");
  const items = [
    { game_id: "g1", name: "Lamp", quantity: 2 },
    { game_id: "g2", name: "Oar", quantity: 1 },
  ];
  expect(itemsText(player({ items }))).toBe("2 × Lamp, 1 × Oar");
  expect(itemsText(player({ items }), "g2")).toBe("1 × Oar");
});

test("rules are told in words", () => {
  expect(conditionWords({ if: { value: { gte: 100, lt: 500 } } } as unknown as Rule)).toBe(
    "value at least 100 and below 500",
  );
  expect(conditionWords({ if: null } as Rule)).toBe("");
  expect(actionWords({ item: { name: "Trophy" } })).toBe("the item “Trophy”, 1 of it");
  expect(actionWords({ score: { value: "value" } })).toBe("the score becomes the trigger's value");
  expect(actionWords({ payment: { link: "coffee", outcome: "failed" } })).toBe(
    "a payment of the link “coffee” that fails",
  );
  expect(actionWords({ constructor: {} })).toBe("constructor");
});

test.each([
  [
    "rule.fired",
    { rule: "r", player: "Ada", trigger: "t", value: 4, actions: ["item"] },
    "r fired",
    "item (Ada, t with 4)",
  ],
  [
    "rule.skipped",
    { rule: "r", player: "Ada", trigger: "t", value: null, reason: "no" },
    "r did not fire",
    "no (Ada, t)",
  ],
  ["rule.unmatched", { player: "Ada", trigger: "t", value: null }, "No rule matches t", "Ada, t"],
  [
    "rule.repeated",
    { player: "Ada", trigger: "t", nonce: "n" },
    "t repeated: the first answer was returned",
    "Ada, nonce n",
  ],
  ["rule.action_failed", { rule: "r", reason: "no channel" }, "r: an action failed", "no channel"],
  ["rule.payment", { rule: "r", status: "refused", reason: "no link" }, "r: payment refused", "no link"],
  ["rule.new", {}, "rule.new", ""],
])("what the engine did is told: %s", (type, data, title, detail) => {
  const described = describeRuleEntry(entry(7, { type, data }));
  expect(described).toMatchObject({ title, detail, isPayment: false, href: "#/activity/journal/7" });
});

test("a payment of a rule links to its story", () => {
  const data = { rule: "r", transaction_id: "txn_1", status: "completed" };
  expect(describeRuleEntry(entry(7, { type: "rule.payment", data }))).toMatchObject({
    tone: "good",
    isPayment: true,
    href: "#/payments/story/txn_1",
  });
});

describe("a trigger", () => {
  const draft = { player: "ada", game: "lantern", trigger: " boss ", value: "140", nonce: "" };

  test("is read from its form", () => {
    expect(readTrigger(draft, [player()], [game()])).toEqual({
      player: player(),
      game: game(),
      trigger: { trigger: "boss", value: 140 },
    });
    expect(readTrigger({ ...draft, value: "", nonce: "n" }, [player()], [game()])).toMatchObject({
      trigger: { trigger: "boss", nonce: "n" },
    });
    expect(outcomeWords(["item", "message"])).toBe("Done by rules: item, message.");
    expect(outcomeWords([])).toMatch(/^No rule fired/);
  });

  test("of an unknown player is not sent", () => {
    expect(readTrigger({ ...draft, player: "nobody" }, [player()], [game()])).toBeUndefined();
  });
});

test("a token that holds is used again; without one, one is minted for an hour", async () => {
  const { live, listeners } = fakeLive();
  const mint = vi.fn(async () => ({ token: "new" }));
  let now = NOW;
  const api = {
    games: async () => [game()],
    players: async () => [player()],
    sessions: async () => [session()],
    mint,
  };
  const model = new GameModel(api as never, live, () => now);
  await vi.waitFor(() => expect(model.games.value).toHaveLength(1));
  expect(await model.access(player(), game())).toMatchObject({ token: "jwt" });
  now += 3_600_000;
  expect(await model.access(player(), game())).toMatchObject({ token: "new" });
  expect(mint).toHaveBeenCalledExactlyOnceWith({ player: "p1", gameId: "g1", expiresIn: "1h" });
  model[Symbol.dispose]();
  expect(listeners()).toBe(0);
});
