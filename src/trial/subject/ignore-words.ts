import { ANY, patternText, readPath } from "./path.ts";
import type { Difference } from "./state.ts";

const MOST_PATHS = 6;

/** A path that covers all entries, because the entries differ from run to run: `orders.*.updated_at`, `mails[*].id`. */
const patternOf = (path: string): string => {
  const segments = readPath(path) ?? [];
  const last = segments.length - 1;
  const isEntry = (index: number) =>
    index < last && (/[\d-]/.test(segments[index]!.text) || (index > 0 && index === last - 1));
  return patternText(segments.map((one, index) => (isEntry(index) ? ANY : one)));
};

/** How to exclude places whose values vary between identical runs: as a flag, a library option, or an API field. */
export function ignoreWords(
  differences: readonly Difference[],
): Record<"command" | "library" | "http", string> {
  const paths = [...new Set(differences.map(({ path }) => patternOf(path)))].slice(0, MOST_PATHS);
  const advice = "Exclude values that differ in every run, such as times and random ids:";
  const list = JSON.stringify(paths);
  return {
    command: `${advice} set subject.ignore to ${list} in sandbox.config.json.`,
    library: `${advice} ignore: ${list}`,
    http: `${advice} "ignore": ${list}`,
  };
}
