import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { expectGameError, LANTERN, startGame, TIDE, wallet } from "../support/game.ts";
import type { Json } from "../support/sandbox.ts";

const NOW = Date.UTC(2026, 0, 15, 9);
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Computes a CIDv1 as specified: version 1, raw (0x55), SHA-256 (0x12, 32 bytes), in base32 with the prefix b. */
function cidOf(text: string): string {
  const digest = createHash("sha256").update(text).digest();
  const bits = [...Buffer.concat([Buffer.from([1, 0x55, 0x12, 32]), digest])]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");
  const groups = bits.match(/.{1,5}/g)!.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, "0"), 2)]);
  return `b${groups.join("")}`;
}

const STATES: [what: string, text: string][] = [
  ["an object", '{"level":4,"coins":120}'],
  ["white space and key order", ' { "b" : 1,\n "a" : 2 } '],
  ["a list", "[1,[2,[3]]]"],
  ["a number", "7"],
  ["a string", '"hi"'],
  ["null", "null"],
  ["a boolean", "false"],
  ["text in another script", '{"名前":"夜光","emoji":"🏮","quote":"\\"\\\\\\u0000"}'],
  ["keys with a special meaning in JavaScript", '{"__proto__":{"admin":true},"constructor":1,"toString":2}'],
  ["lists nested up to the limit", `${"[".repeat(100)}${"]".repeat(100)}`],
  ["a large number", "1e300"],
];

test.each(STATES)(
  "a state stores %s byte for byte, under the content id of its bytes [fidelity: Game launcher: resources › States · Game launcher: resources › State values]",
  async (_what, text) => {
    const game = await startGame();
    const { ok, player } = await game.mint();
    const { success, newState } = await ok("setState", { state: text, label: "slot" });
    expect(success).toBe(true);
    const record = {
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      gameId: LANTERN,
      ipfsHash: cidOf(text),
      normalizedAddress: player.address,
      label: "slot",
      updatedAt: NOW,
      state: JSON.parse(text),
    };
    expect(newState).toEqual(record);
    expect(Object.keys(newState.state ?? {})).toEqual(Object.keys(JSON.parse(text) ?? {}));
    expect(await ok("getStates", { label: "slot" })).toEqual({ success: true, states: [newState] });
    expect(({} as Json).admin).toBeUndefined();
  },
);

test("the content id of a state matches the one that IPFS computes", () => {
  expect(cidOf("hello world")).toBe("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
});

test("each combination of game, player and label has one state record [fidelity: Game launcher: requests › Order of lists · Game launcher: resources › States]", async () => {
  const game = await startGame();
  const ada = await game.mint();
  const { newState: first } = await ada.ok("setState", { state: "1" });
  expect(first.label).toBe("default");
  await game.advance("1s");
  const { newState: second } = await ada.ok("setState", { state: "2", label: "default" });
  expect(second).toMatchObject({ _id: first._id, state: 2, updatedAt: NOW + 1_000 });
  await ada.ok("setState", { state: "3", label: "other" });
  await (await game.mint({ gameId: TIDE })).ok("setState", { state: "4" });
  await (await game.mint({ address: wallet("b") })).ok("setState", { state: "5" });
  const { states } = await ada.ok("getState");
  expect(states.map(({ state, label }: Json) => [state, label])).toEqual([
    [3, "other"],
    [2, "default"],
  ]);
  expect((await ada.ok("getStates", { limit: 1, skip: 1 })).states).toEqual([second]);
  expect((await ada.ok("getStates", { label: "nothing" })).states).toEqual([]);
});

test("concurrent writes with one label create a single state record", async () => {
  const game = await startGame();
  const { ok } = await game.mint();
  const written = await Promise.all(
    Array.from({ length: 20 }, (_, state) => ok("setState", { state: String(state) })),
  );
  expect(new Set(written.map(({ newState }) => newState._id)).size).toBe(1);
  expect((await ok("getStates")).states).toHaveLength(1);
});

const MIB = 1024 * 1024;

test("a state of 1 MiB is stored, and one with an additional byte is rejected", async () => {
  const game = await startGame();
  const { ok, call } = await game.mint();
  const text = (bytes: number) => `"${"é".repeat(1)}${"x".repeat(bytes - 4)}"`;
  expect((await ok("setState", { state: text(MIB) })).newState.state).toHaveLength(MIB - 3);
  expectGameError(await call("setState", { state: text(MIB + 1) }), "BadRequest", "1048577 bytes");
  const quotes = `[${Array(340_000).fill('""').join(",")}]`;
  expect((await ok("setState", { state: quotes, label: "quotes" })).newState.state).toHaveLength(340_000);
});

const REFUSED: [what: string, body: Json, says: string][] = [
  ["no state", {}, "Missing required field: state"],
  ["an object", { state: {} }, "must be a string"],
  ["a number", { state: 5 }, "must be a string"],
  ["null", { state: null }, "must be a string"],
  ["empty", { state: "" }, "contains JSON"],
  ["no JSON", { state: "level 4" }, "contains JSON"],
  ["half of JSON", { state: '{"level":' }, "contains JSON"],
  ["two values", { state: "1 2" }, "contains JSON"],
  ["JavaScript", { state: "{level: 4}" }, "contains JSON"],
  ["NaN", { state: "NaN" }, "contains JSON"],
  ["2 MiB", { state: `"${"x".repeat(2 * MIB)}"` }, "more than 1048576 (1 MiB)"],
  ["5 MiB", { state: `"${"x".repeat(5 * MIB)}"` }, "larger than the limit of 4194304 bytes"],
  ["101 levels", { state: `${"[".repeat(101)}${"]".repeat(101)}` }, "100 levels"],
  ["101 levels of objects", { state: `${'{"a":'.repeat(101)}1${"}".repeat(101)}` }, "100 levels"],
  ["a hundred thousand levels", { state: `${"[".repeat(100_000)}${"]".repeat(100_000)}` }, "100 levels"],
  ["half of a surrogate pair", { state: '"\ud800"' }, "surrogate"],
  ["a label that is empty", { state: "1", label: "" }, "label must have 1 to 200"],
  ["a long label", { state: "1", label: "x".repeat(201) }, "label must have 1 to 200"],
  ["a label that is no text", { state: "1", label: 5 }, "label must be a string"],
];

test("an invalid state is rejected and not stored [fidelity: Game launcher: resources › States]", async () => {
  const game = await startGame();
  const { ok, call } = await game.mint();
  for (const [what, body, says] of REFUSED)
    expectGameError(await call("setState", body), "BadRequest", says, what);
  expect((await ok("getStates")).states).toEqual([]);
});

test("trackGameSessions stores what a game reports about a play session [fidelity: Game launcher: resources › Play sessions]", async () => {
  const game = await startGame();
  const { ok, call } = await game.mint();
  const run = { sessionId: "0b8f6f0e-6d0f-4d7e-9a53-6f6d2f0d6a11", state: '{"wave":3}' };
  expect(await ok("trackGameSessions", run)).toEqual({ success: true });
  expect(await ok("trackGameSessions", { ...run, state: '{"wave":9}', endTime: NOW })).toEqual({
    success: true,
  });
  expect((await game.journal("play_session.tracked")).map(({ data }) => data.ended)).toEqual([false, true]);
  expectGameError(
    await call("trackGameSessions", { ...run, state: "wave 3" }),
    "BadRequest",
    "contains JSON",
  );
  expectGameError(await call("trackGameSessions", { state: "{}" }), "BadRequest", "sessionId");
  expectGameError(await call("trackGameSessions", { ...run, endTime: -1 }), "BadRequest", "endTime");
});
