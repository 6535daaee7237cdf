import { expect, test } from "vitest";
import { createSequence } from "../../ui/models/sequence.ts";
import { entry } from "./support/entries.ts";

test("the page recognizes the next entry and one that it has already seen", () => {
  const sequence = createSequence();
  sequence.begin(entry(7));
  expect(sequence.after).toBe(6);
  expect([7, 8, 9].map((seq) => sequence.take(entry(seq)))).toEqual(["seen", "next", "next"]);
  expect(sequence.after).toBe(8);
});

test("the page accepts a journal's first entry without verification", () => {
  const sequence = createSequence();
  sequence.begin(undefined);
  expect(sequence.after).toBe(0);
  expect(sequence.take(entry(1))).toBe("next");
});

test.each([
  ["an entry after a gap", 9, {}, "gap"],
  ["an earlier entry", 5, {}, "replaced"],
  ["the same position in another run", 7, { wall: "2027-01-01T00:00:00.000Z" }, "replaced"],
  ["the same position with another event", 7, { type: "payment.failed" }, "replaced"],
  ["a reset", 8, { type: "world.reset" }, "replaced"],
  ["a restored world with a shorter journal", 3, { type: "world.restored" }, "replaced"],
  ["a restored world with a longer journal, until the gap is filled", 20, { type: "world.restored" }, "gap"],
])("the page determines where an entry belongs in the journal: %s", (_name, seq, over, arrival) => {
  const sequence = createSequence();
  sequence.begin(entry(7));
  expect(sequence.take(entry(seq, over))).toBe(arrival);
});

test("a journal that ends earlier is treated as another journal", () => {
  const sequence = createSequence();
  sequence.begin(entry(7));
  expect([6, 7, 8].map(sequence.reaches)).toEqual([false, true, true]);
});
