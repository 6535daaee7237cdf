import { createHash } from "node:crypto";
import Database from "better-sqlite3";
import { CID } from "multiformats/cid";
import { beforeAll, expect, test } from "vitest";
import { makeSeedBytes } from "../../src/sandbox/seed.ts";
import { LANTERN, ORBIT, TIDE } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

const NOW = Date.UTC(2026, 0, 15, 9);
const DAY = 86_400_000;
const ROOK = "6f1d2a7c40b8e35912cd7e26";
const TABLES = [
  ...["players", "sessions", "channels", "participants", "messages", "states", "scores", "best_scores"],
  ...["activities", "items", "notifications"],
];

function read(bytes: Buffer): Record<string, Json[]> {
  const db = new Database(bytes);
  const rows = TABLES.map((name) => [name, db.prepare(`select * from game_${name}`).all()]);
  const others = { journal: db.prepare("select * from journal").all() };
  db.close();
  return { ...Object.fromEntries(rows), ...others };
}

let seed: Record<string, Json[]>;
let another: Record<string, Json[]>;
beforeAll(async () => {
  seed = read(await makeSeedBytes({ seed: "sandglass", startAt: NOW }));
  another = read(await makeSeedBytes({ seed: "another", startAt: Date.UTC(2030, 5, 1, 17, 30, 0, 250) }));
});
const both = () => [seed, another] as const;
function group(rows: Json[], by: (row: Json) => string): Map<string, Json[]> {
  const groups = new Map<string, Json[]>();
  for (const row of rows) groups.set(by(row), [...(groups.get(by(row)) ?? []), row]);
  return groups;
}

test("the game launcher's seed contains 60 players, 1,000 messages, 500 scores and 400 activities", () => {
  for (const { players, channels, messages, scores, activities, states, journal } of both()) {
    expect([players!.length, channels!.length, messages!.length]).toEqual([60, 40, 1_000]);
    expect([scores!.length, activities!.length]).toEqual([500, 400]);
    expect(states!.length).toBeGreaterThan(40);
    expect(journal).toEqual([]);
  }
});

test("the game launcher's seed data is the same for the same seed and start time, and differs for another seed", async () => {
  expect(read(await makeSeedBytes({ seed: "sandglass", startAt: NOW }))).toEqual(seed);
  expect(another.messages![0].content + another.messages![0].id).not.toBe(
    seed.messages![0].content + seed.messages![0].id,
  );
});

test("seeded players have unique names, wallets and avatars", () => {
  for (const { players } of both()) {
    for (const field of ["id", "address", "username"])
      expect(new Set(players!.map((player) => player[field].toLowerCase())).size, field).toBe(60);
    for (const { id, address, username, avatar } of players!) {
      expect(id).toMatch(/^[0-9a-f]{24}$/);
      expect(address).toMatch(/^0x[0-9a-f]{40}$/);
      expect(address).not.toMatch(/(dead|0bad|beef)$/);
      expect(username.length).toBeGreaterThan(1);
      expect(decodeURIComponent(avatar)).toMatch(
        /^data:image\/svg\+xml,<svg xmlns='http:\/\/www.w3.org\/2000\/svg' .*<\/svg>$/,
      );
    }
  }
});

test("seeded channels include empty, direct and large ones, and their counts add up", () => {
  for (const { channels, participants, messages, players } of both()) {
    const members = group(participants!, ({ channel }) => channel);
    const said = group(messages!, ({ channel }) => channel);
    const kinds = group(channels!, ({ kind }) => kind);
    expect([...kinds.keys()].sort()).toEqual(["direct", "group", "own"]);
    expect(channels!.filter(({ messages: count }) => count === 0).length).toBeGreaterThanOrEqual(5);
    expect(Math.max(...channels!.map(({ id }) => members.get(id)!.length))).toBe(60);
    expect(Math.max(...channels!.map(({ messages: count }) => count))).toBeGreaterThan(100);
    for (const { id, kind, messages: count, created_at, updated_at } of channels!) {
      const inside = members.get(id)!;
      const lines = said.get(id) ?? [];
      expect(count, id).toBe(lines.length);
      if (kind === "direct") expect(inside).toHaveLength(2);
      if (kind === "own") expect(inside).toHaveLength(1);
      expect(inside.filter(({ user_group }) => user_group === 2)).toHaveLength(1);
      expect(new Set(inside.map(({ player }) => player)).size).toBe(inside.length);
      const last = Math.max(created_at, ...lines.map((line) => line.updated_at));
      expect(updated_at).toBe(last);
    }
    const addressOf = new Map(players!.map(({ id, address }) => [id, address]));
    for (const { channel, sender, content } of messages!) {
      const writers = members.get(channel)!.filter(({ permissions }) => permissions.includes("write"));
      const allowed = [...writers.map(({ player }) => addressOf.get(player)), LANTERN, TIDE, ROOK];
      expect(allowed, content).toContain(sender);
      expect(content).not.toMatch(/\{\w+\}/);
      expect(content.length).toBeLessThanOrEqual(4_000);
    }
    const pairs = [...(kinds.get("direct") ?? [])].map(({ id, game }) =>
      [
        game,
        ...members
          .get(id)!
          .map(({ player }) => player)
          .sort(),
      ].join(),
    );
    expect(new Set(pairs).size).toBe(pairs.length);
  }
});

test("seeded scores include ties, and the leaderboard contains each player's best score", () => {
  for (const { scores, best_scores: best } of both()) {
    const perGame = group(scores!, ({ game }) => game);
    expect([...perGame.keys()].sort()).toEqual([LANTERN, TIDE, ROOK].sort());
    expect(perGame.has(ORBIT)).toBe(false);
    for (const [game, rows] of perGame) {
      const expected = [...group(rows, ({ player }) => player).values()].map(
        (own) =>
          own.sort((a, b) => b.score - a.score || a.updated_at - b.updated_at || (a.id < b.id ? -1 : 1))[0],
      );
      const kept = best!.filter((row) => row.game === game);
      const byId = (a: Json, b: Json) => (a.id < b.id ? -1 : 1);
      expect([...kept].sort(byId)).toEqual(expected.sort(byId));
      const ordered = kept.map(({ score }) => score);
      expect(ordered).toEqual([...ordered].sort((a, b) => b - a));
      expect(ordered[0], "a tie at the top").toBe(ordered[1]);
      expect(new Set(ordered).size).toBeLessThan(ordered.length);
    }
  }
});

test("seeded states include many shapes, sizes up to 100 KB, and correct content ids", () => {
  for (const { states } of both()) {
    const sizes = states!.map(({ state }) => Buffer.byteLength(state));
    expect(Math.max(...sizes)).toBe(100 * 1_024);
    expect(Math.min(...sizes)).toBeLessThan(6);
    expect(sizes.some((size) => size > 1_000 && size < 10_000)).toBe(true);
    const kinds = new Set(
      states!.map(({ state }) => {
        const value = JSON.parse(state);
        return Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
      }),
    );
    expect([...kinds].sort()).toEqual(["boolean", "list", "null", "number", "object", "string"]);
    for (const { cid, state } of states!) {
      const { version, code, multihash } = CID.parse(cid);
      expect([version, code, multihash.code]).toEqual([1, 0x55, 0x12]);
      expect(Buffer.from(multihash.digest).equals(createHash("sha256").update(state).digest())).toBe(true);
    }
  }
});

test("seeded activities include both types and complete texts", () => {
  for (const { activities, players } of both()) {
    const types = group(activities!, ({ type }) => type);
    expect(types.get("on-chain")!.length).toBeGreaterThan(100);
    expect(types.get("off-chain")!.length).toBeGreaterThan(100);
    const names = new Map(players!.map(({ id, username }) => [id, username]));
    for (const { player, text } of activities!) {
      expect(text.startsWith(names.get(player))).toBe(true);
      expect(text).not.toMatch(/\{\w+\}/);
    }
  }
});

test("no seeded game event is older than its player or later than now", () => {
  for (const [index, { players, ...tables }] of both().entries()) {
    const now = index === 0 ? NOW : Date.UTC(2030, 5, 1, 17, 30, 0, 250);
    const since = Math.max(...players!.map(({ created_at }) => created_at));
    expect(since).toBeLessThanOrEqual(now - 30 * DAY);
    for (const [table, rows] of Object.entries(tables)) {
      for (const row of rows) {
        for (const field of ["created_at", "updated_at", "opened_at", "ended_at", "last_heartbeat_at"]) {
          const at = row[field];
          if (at === undefined || at === null) continue;
          expect(at, `${table}.${field}`).toBeLessThanOrEqual(now);
          expect(at, `${table}.${field}`).toBeGreaterThanOrEqual(since);
        }
        if (row.id !== undefined && table !== "best_scores") {
          const at = row.created_at ?? row.opened_at ?? row.updated_at;
          expect(Number.parseInt(row.id.slice(0, 8), 16), `${table}.id`).toBe(Math.floor(at / 1_000));
        }
      }
    }
  }
});

test("seeded sessions include ended, expired and open ones", () => {
  for (const [index, { sessions }] of both().entries()) {
    const now = index === 0 ? NOW : Date.UTC(2030, 5, 1, 17, 30, 0, 250);
    const open = sessions!.filter(({ ended_at, expires_at }) => ended_at === null && expires_at > now);
    expect(sessions!.some(({ ended_at }) => ended_at !== null)).toBe(true);
    expect(sessions!.some(({ expires_at }) => expires_at <= now)).toBe(true);
    expect(open.filter(({ last_heartbeat_at: at }) => at !== null && now - at < 120_000)).toHaveLength(3);
    expect(sessions!.filter(({ token }) => token !== null)).toHaveLength(1);
    for (const { opened_at, ended_at, expires_at } of sessions!) {
      expect(expires_at % 1_000).toBe(0);
      expect(ended_at ?? opened_at).toBeGreaterThanOrEqual(opened_at);
    }
  }
});
