import { expect, test } from "vitest";
import type { JournalEntry } from "../../ui/api-types.ts";
import { createSequence } from "../../ui/models/sequence.ts";

const entry = (seq: number, type = "payment.completed", wall = `w${seq}`) =>
  ({ seq, type, wall }) as JournalEntry;

test("a restored world replaces the entries that the page had, wherever its journal ends", () => {
  for (const seq of [3, 8, 9]) {
    const sequence = createSequence();
    sequence.begin(entry(8));
    expect(sequence.take(entry(seq, "world.restored", "later"))).toBe("replaced");
  }
});

test("a restored world with a longer journal is noticed once it is asked for", () => {
  const sequence = createSequence();
  sequence.begin(entry(8));
  expect(sequence.take(entry(20, "world.restored"))).toBe("gap");
  expect(sequence.take(entry(8, "payment.completed", "of another run"))).toBe("replaced");
});
