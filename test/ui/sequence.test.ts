import { expect, test } from "vitest";
import { createSequence } from "../../ui/models/sequence.ts";
import { entry } from "./support/entries.ts";

test("an entry that follows the last one is next, and a known one is known", () => {
  const sequence = createSequence();
  sequence.begin(entry(7));
  expect(sequence.after).toBe(6);
  expect([7, 8, 9].map((seq) => sequence.take(entry(seq)))).toEqual(["seen", "next", "next"]);
  expect(sequence.after).toBe(8);
});

test("an entry at the very beginning needs no proof", () => {
  const sequence = createSequence();
  sequence.begin(undefined);
  expect(sequence.after).toBe(0);
  expect(sequence.take(entry(1))).toBe("next");
});

test.each([
  ["one that was left out", 9, {}, "gap"],
  ["one from before", 5, {}, "replaced"],
  ["the same place in another run", 7, { wall: "2027-01-01T00:00:00.000Z" }, "replaced"],
  ["the same place with something else", 7, { type: "payment.failed" }, "replaced"],
  ["a reset", 8, { type: "world.reset" }, "replaced"],
  ["a restored world with a shorter journal", 3, { type: "world.restored" }, "replaced"],
  ["a restored world with a longer journal, until it is asked for", 20, { type: "world.restored" }, "gap"],
])("an entry is placed in the journal: %s", (_name, seq, over, arrival) => {
  const sequence = createSequence();
  sequence.begin(entry(7));
  expect(sequence.take(entry(seq, over))).toBe(arrival);
});

test("an entry of a journal that ends earlier belongs to another journal", () => {
  const sequence = createSequence();
  sequence.begin(entry(7));
  expect([6, 7, 8].map(sequence.reaches)).toEqual([false, true, true]);
});
