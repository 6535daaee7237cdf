import fc from "fast-check";
import { expect, test } from "vitest";
import { fitsWildcard } from "../../src/runtime/wildcard.ts";

/** Tries every way to divide the text, one after another. */
function fits(pattern: string, text: string, least: number, inStar: (character: string) => boolean): boolean {
  if (pattern === "") return text === "";
  if (pattern[0] !== "*")
    return text !== "" && pattern[0] === text[0] && fits(pattern.slice(1), text.slice(1), least, inStar);
  for (let taken = 0; taken <= text.length; taken += 1) {
    if (taken > 0 && !inStar(text[taken - 1]!)) return false;
    if (taken >= least && fits(pattern.slice(1), text.slice(taken), least, inStar)) return true;
  }
  return false;
}

const letters = (alphabet: string, maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((some) => some.join(""));

test("an asterisk matches any text in any pattern", () => {
  fc.assert(
    fc.property(letters("ab/*", 8), letters("ab/", 10), (pattern, text) => {
      expect(fitsWildcard(pattern, text)).toBe(fits(pattern, text, 0, () => true));
    }),
    { numRuns: 3_000 },
  );
});

test("an asterisk that matches a name requires at least one character and no separator", () => {
  const inName = (character: string) => character !== ".";
  fc.assert(
    fc.property(letters("ab.*", 8), letters("ab.", 10), (pattern, text) => {
      expect(fitsWildcard(pattern, text, inName)).toBe(fits(pattern, text, 1, inName));
    }),
    { numRuns: 3_000 },
  );
});
