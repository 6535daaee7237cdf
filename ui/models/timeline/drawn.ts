import { type Group, sharesOf } from "../../../src/story/groups.ts";

/** How many of a group failed and are under way, for the style sheet; a mark that stands alone has its colour by its class. */
export function shareStyle(group: Group): Record<string, string> {
  if (group.marks.length === 1) return {};
  const { bad, pending } = sharesOf(group);
  return { "--bad-share": `${bad}%`, "--unsuccessful-share": `${bad + pending}%` };
}

/** The groups of a lane that touch a stretch of time. */
export function visible(groups: Group[], from: number, to: number): Group[] {
  let low = 0;
  let high = groups.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (groups[middle]!.at < from) low = middle + 1;
    else high = middle;
  }
  const first = low > 0 && groups[low - 1]!.end >= from ? low - 1 : low;
  let last = first;
  while (last < groups.length && groups[last]!.at <= to) last += 1;
  return groups.slice(first, last);
}
