import { join } from "./leaves.ts";
import type { Source } from "./sources.ts";
import { closeOf } from "./text.ts";

/** Django URL lists that include other lists. */

const INCLUDE = /(?<![.\w])(?:path|re_path|url)\(\s*r?["']([^"'\n]*)["']\s*,\s*include\(/g;

/** A file's Django `path("prefix", include(…))` calls, excluding nested ones. */
export const includesIn = ({ text, bare }: Source) => {
  const all = [...text.matchAll(INCLUDE)].map(({ index, 0: opened, 1: prefix }) => ({
    ...{ index, prefix: prefix!.replace(/^\^/, "") },
    ...{ from: index + opened.length, end: closeOf(bare, text.indexOf("(", index)) },
  }));
  return all.map((one) => ({
    ...one,
    rest: all
      .filter(({ index, end }) => one.from <= index && end <= one.end)
      .reduce(
        (rest, { index, end }) => rest.replace(text.slice(index, end), ""),
        text.slice(one.from, one.end),
      ),
  }));
};

/** The prefix of a route in a list that is included inline: `include([path(…)])`. */
export const includedAt = (source: Source, at: number): string =>
  source.path.endsWith(".py")
    ? join(
        ...includesIn(source)
          .filter(({ index, end }) => index < at && at < end)
          .map(({ prefix }) => prefix),
      )
    : "";
