import { misuse } from "../errors/errors.ts";

/** The maximum length of a pattern, which keeps matching time proportional to the text. */
const LONGEST_PATTERN = 200;

/**
 * Whether a string matches a pattern in which `*` matches any characters. A regular expression could take exponential
 * time if there are many stars, so this does not use one.
 * @param inStar which characters `*` matches, at least one of them; by default, any number of any characters
 */
export function fitsWildcard(
  pattern: string,
  text: string,
  inStar?: (character: string) => boolean,
): boolean {
  let [at, next] = [0, 0];
  /**
   * The position after the pattern's latest star, and the position of the first character that this star has not
   * matched.
   */
  let [afterStar, taken] = [-1, 0];
  const take = (): boolean => taken < text.length && (inStar?.(text[taken]!) ?? true) && ++taken > 0;
  while (at < text.length || next < pattern.length) {
    if (pattern[next] === "*") {
      [afterStar, taken] = [next + 1, at];
      if (inStar && !take()) return false;
      [at, next] = [taken, afterStar];
    } else if (at < text.length && pattern[next] === text[at]) [at, next] = [at + 1, next + 1];
    // Only the latest star needs to match more characters: extending an earlier one would leave less text to match.
    else if (afterStar !== -1 && take()) [at, next] = [taken, afterStar];
    else return false;
  }
  return true;
}

/** @throws SandboxError `bad_request` if the pattern is too long */
export function checkPatternLength(name: string, pattern: string): void {
  if (pattern.length > LONGEST_PATTERN)
    throw misuse(
      `${name} has ${pattern.length} characters; it can have at most ${LONGEST_PATTERN}.`,
      "Shorten it: * matches any text.",
    );
}
