import { DAY } from "../../world/duration.ts";
import { dayOf } from "../days.ts";
import type { SessionRow } from "../rows.ts";
import type { Seeding } from "./seeding.ts";

interface Stay {
  /** The widget. */
  id: string;
  linkId: string | null;
  from: number;
  to: number;
}

/**
 * Writes the views of a widget, day by day, and says of two in three sessions of its payment link that they were opened
 * there. Draws from a stream of its own, so that nothing else of the seed depends on it.
 * @returns all views
 */
export function seedVisits(
  { world, save }: Seeding,
  sessions: readonly SessionRow[],
  { id, linkId, from, to }: Stay,
): number {
  const opened = new Map<string, number>();
  const ofLink = sessions.filter(
    (row) =>
      linkId !== null &&
      row.payment_link_id === linkId &&
      row.widget_id === null &&
      row.created_at >= from &&
      row.created_at <= to,
  );
  for (const [index, row] of ofLink.entries()) {
    if (index % 3 === 2) continue;
    row.widget_id = id;
    const day = dayOf(row.created_at);
    opened.set(day, (opened.get(day) ?? 0) + 1);
  }
  let total = 0;
  for (let at = from - (from % DAY); at <= to; at += DAY) {
    const day = dayOf(at);
    const passersBy = Math.floor(world.random.fraction("widget_views") * 9);
    const views = passersBy + 3 * (opened.get(day) ?? 0);
    if (views === 0) continue;
    save("widget_views", { widget_id: id, day, views });
    total += views;
  }
  return total;
}
