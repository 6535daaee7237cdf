import { shellWord } from "../../runtime/shell.ts";
import { plain } from "../../timeline/text.ts";
import type { Difference } from "./state.ts";

/** Paths named at once; `*` may stand for many. */
const MOST_PATHS = 6;

/** How to leave out places at which a state differs by itself, as commands, the library and the API take it. */
export function ignoreWords(
  differences: readonly Difference[],
): Record<"command" | "library" | "http", string> {
  const paths = differences.slice(0, MOST_PATHS).map(({ path }) => path);
  const advice = "Leave out what differs by itself, such as times and random ids:";
  const list = JSON.stringify(paths);
  return {
    command: `${advice} ${paths.map((path) => `--ignore ${quoted(path)}`).join(" ")}`,
    library: `${advice} ignore: ${list}`,
    http: `${advice} "ignore": ${list}`,
  };
}

const quoted = (path: string): string => (/^[\w.*-]+$/.test(path) ? path : shellWord(plain(path)));
