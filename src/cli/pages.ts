import { count } from "../story/text.ts";
import { readCount } from "./actions.ts";
import { paint } from "./output.ts";

/** One page of a list of the platform. */
export interface Page<Item> {
  data: Item[];
  total_count: number;
}

const DEFAULT_LIMIT = 20;
const MOST = 100;

/** The query of a list. @param limit as the command line has it */
export function pageQuery(limit: string | undefined): URLSearchParams {
  const rows = limit === undefined ? DEFAULT_LIMIT : readCount(limit, "--limit", { most: MOST });
  return new URLSearchParams({ limit: String(rows) });
}

/** A last line that says how many are not shown; none where all are. */
export function moreLine({ data, total_count: total }: Page<unknown>, what: string): string[] {
  const left = total - data.length;
  if (left <= 0) return [];
  const way = data.length < MOST ? `; print up to ${MOST} with --limit` : "";
  return [paint.dim(`and ${count(left, "more", `more ${what}`)}${way}`)];
}
