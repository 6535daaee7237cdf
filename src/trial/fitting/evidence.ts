import type { TableShape } from "../database/dialect.ts";
import { type Asked, askedBy, soughtIn } from "../statements/parameters.ts";
import type { Delivered } from "./delivered.ts";
import { isLasting, type Lead } from "./leads.ts";

/** Phrases with which servers report a missing row. An unknown price or missing metadata does not count. */
const NOT_THERE =
  /\bnot[ _-]?found\b|\bno such\b|\bno (?:\w+ )?(?:found|matching|with|for)\b|\b(?:does|did)(?: not|n't) (?:exist|find)\b|\b(?:can(?:not|'t)|could(?: not|n't)) find\b/i;

/** Whether the server said that something does not exist. */
const isMissed = ({ status, said }: Delivered): boolean =>
  status === 404 || status === 410 || NOT_THERE.test(said);

/**
 * Whether this was the only lookup of one of the event's values that found no row, not counting lookups of the event's
 * own id.
 */
function isAlone(own: Asked, { statements = [], ownIds, values }: Delivered): boolean {
  return statements.every((statement) => {
    const asked = askedBy(statement);
    if (!asked || asked.sql === own.sql) return true;
    const sought = soughtIn(statement);
    const isOfEvent = (text: string) => values.has(text) && !ownIds.has(text);
    // A null value counts as the event's own, because the event lacks that field.
    return sought.length > 0 && !sought.some((value) => value === null || value.some(isOfEvent));
  });
}

/**
 * Whether a delivery shows that a lookup's row is missing. After a check for duplicates, it may just as well have been
 * refused for another reason.
 */
export function lacksRow(lead: Lead, one: Delivered, shapes: readonly TableShape[]): boolean {
  const { asked, sought } = lead;
  const isChange = asked !== undefined && /^\s*(?:update|delete)\b/i.test(asked.sql);
  if (asked && !sought.every(isLasting)) return (isChange || isMissed(one)) && isAlone(asked, one);
  if (isChange || isMissed(one) || one.isAccepted) return true;
  // A handler that takes a row for granted fails without it. That is likely if there is one row per object.
  const { key, unique } = shapes.find(({ name }) => name === lead.table) ?? { key: [], unique: [] };
  const isIdentity = ({ column }: { column: string }) =>
    [key, ...unique].some(([only, more]) => only === column && more === undefined);
  const isOfOne = asked ? sought.every(isIdentity) : sought.some(isIdentity);
  return (one.status ?? 500) >= 500 && isOfOne;
}
