import type { Figure } from "./harness.ts";

const round = (value: number) => (value >= 100 ? Math.round(value) : Math.round(value * 100) / 100);

/** Prints figures as a table and as a line of JSON. Returns whether all of them stay within their limits. */
export function report(figures: readonly Figure[]): boolean {
  const rows = figures.map(({ name, ours, bare, unit, ratio, wall, limit }) => {
    const held = ratio ?? ours;
    const met =
      held >= (limit.least ?? Number.NEGATIVE_INFINITY) && held <= (limit.most ?? Number.POSITIVE_INFINITY);
    return {
      figure: name,
      ours: `${round(ours)} ${unit}`,
      bare: bare === undefined ? "" : `${round(bare)} ${unit}`,
      ratio: ratio === undefined ? "" : round(ratio),
      limit: limit.least === undefined ? `at most ${limit.most}` : `at least ${limit.least}`,
      met,
      "by the wall clock": wall
        ? `${round(wall.ours)} of ${round(wall.bare)} ${wall.unit}: ${round(wall.ours / wall.bare)}`
        : "",
    };
  });
  console.table(rows);
  console.log(JSON.stringify({ node: process.version, figures: rows }));
  return rows.every(({ met }) => met);
}
