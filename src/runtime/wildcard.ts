import { misuse } from "../errors/errors.ts";

/** The longest pattern: up to it, matching takes time in proportion to the text. */
const LONGEST_PATTERN = 200;

/**
 * Whether a text matches a pattern in which `*` matches any characters. This is not a regular expression: some with many stars
 * take years.
 * @param inStar the characters that a `*` matches; then it matches at least one. By default, it matches any number of any
 */
export function fitsWildcard(
  pattern: string,
  text: string,
  inStar?: (character: string) => boolean,
): boolean {
  let [at, next] = [0, 0];
  /** The position after the latest star of the pattern, and the first character that it has not taken. */
  let [afterStar, taken] = [-1, 0];
  const take = (): boolean => taken < text.length && (inStar?.(text[taken]!) ?? true) && ++taken > 0;
  while (at < text.length || next < pattern.length) {
    if (pattern[next] === "*") {
      [afterStar, taken] = [next + 1, at];
      if (inStar && !take()) return false;
      [at, next] = [taken, afterStar];
    } else if (at < text.length && pattern[next] === text[at]) [at, next] = [at + 1, next + 1];
    // Only the latest star needs to match more: an earlier one would leave less of the text to match.
    else if (afterStar !== -1 && take()) [at, next] = [taken, afterStar];
    else return false;
  }
  return true;
}

/** @throws SandboxError `bad_request` for a pattern that is too long to be matched */
export function checkPatternLength(name: string, pattern: string): void {
  if (pattern.length > LONGEST_PATTERN)
    throw misuse(
      `${name} has ${pattern.length} characters; it can have at most ${LONGEST_PATTERN}.`,
      "Shorten it: * stands for any text.",
    );
}
