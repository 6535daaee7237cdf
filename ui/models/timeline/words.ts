import type { Group } from "../../../src/story/groups.ts";
import { groupWords, type Mark, markWords } from "../../../src/story/marks.ts";
import { brief, relative } from "../format.ts";

/** A mark in words; one that is planned says how far ahead it is. */
export function markText(mark: Mark, now: number): string {
  const words = markWords(mark, (at) => brief(at, now));
  return mark.kind === "planned" ? `${words}, ${relative(mark.at, now)}` : words;
}

/** A group of marks in a line. */
export function groupText({ marks }: Group, now: number): string {
  return marks.length === 1 ? markText(marks[0]!, now) : groupWords(marks, (at) => brief(at, now));
}
