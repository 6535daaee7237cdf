import type { Difference } from "./state.ts";

/** The most paths to name; with more, `*` replaces names. */
const MOST_PATHS = 6;

/** How to leave out places at which a state differs by itself: as a flag, a library option, or an API field. */
export function ignoreWords(
  differences: readonly Difference[],
): Record<"command" | "library" | "http", string> {
  const paths = differences.slice(0, MOST_PATHS).map(({ path }) => path);
  const advice = "Leave out what differs by itself, such as times and random ids:";
  const list = JSON.stringify(paths);
  return {
    command: `${advice} set subject.ignore to ${list} in sandbox.config.json.`,
    library: `${advice} ignore: ${list}`,
    http: `${advice} "ignore": ${list}`,
  };
}
