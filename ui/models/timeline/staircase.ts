import type { Step } from "./counter.ts";

/** How a staircase is drawn: instants to pixels from the left, levels to heights. */
export interface Scale {
  x: (at: number) => number;
  y: (value: number) => number;
}

/**
 * The path of a level over time, from the left edge to `until`. Steps that fall on one pixel are drawn as one, at
 * their highest, so that a path has no more corners than can be seen.
 */
export function staircase(steps: Step[], from: number, until: number, { x, y }: Scale): string {
  let level = 0;
  let index = 0;
  for (; index < steps.length && steps[index]!.at < from; index += 1) level = steps[index]!.value;
  let text = `M0 ${y(level)}`;
  while (index < steps.length && steps[index]!.at <= until) {
    const left = Math.round(x(steps[index]!.at));
    let highest = 0;
    for (; index < steps.length && steps[index]!.at <= until; index += 1) {
      if (Math.round(x(steps[index]!.at)) !== left) break;
      level = steps[index]!.value;
      highest = Math.max(highest, level);
    }
    text += ` H${left} V${y(highest)}${highest === level ? "" : ` V${y(level)}`}`;
  }
  return `${text} H${Math.round(x(until))}`;
}

/** The path of a level that is yet to come, from where it stands. */
export function stairsAhead(steps: Step[], from: Step, { x, y }: Scale): string {
  const rest = steps.map(({ at, value }) => ` H${Math.round(x(at))} V${y(value)}`);
  return `M${Math.round(x(from.at))} ${y(from.value)}${rest.join("")}`;
}
