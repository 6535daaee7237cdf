import type { TableShape } from "../database/dialect.ts";
import { askedBy, soughtIn } from "../statements/parameters.ts";
import type { Delivered } from "./delivered.ts";
import type { Lead } from "./leads.ts";

/**
 * Kinds of things that outlive an event. Others, such as payments, are often new with their event: a handler that looks one up may want to
 * know whether it has seen it before.
 */
const LASTING =
  /^(?:account|app|audience|billing\.meter|channel|customer|email|external_id|full_name|installation|instance|inventory_item|item|location|lookup_key|merchant|organization|plan|price|product|repository|shop|sku|team|user|v2\.core\.account|variant|workspace)$/;

export const isLasting = ({ kind }: { kind: string }): boolean => LASTING.test(kind);

/** A server's words for a row that is not there. An unknown price or missing metadata is another matter. */
const NOT_THERE =
  /\bnot[ _-]?found\b|\bno such\b|\bno (?:\w+ )?(?:found|matching|with|for)\b|\b(?:does|did)(?: not|n't) (?:exist|find)\b|\b(?:can(?:not|'t)|could(?: not|n't)) find\b/i;

/** Whether the server said that something is not there. */
const isMissed = ({ status, said }: Delivered): boolean =>
  status === 404 || status === 410 || NOT_THERE.test(said);

/** Whether no other lookup by something of the event met no row, apart from those by its own id. */
function isAlone({ asked: own }: Lead, { statements, ownIds, values }: Delivered): boolean {
  return statements.every((statement) => {
    const asked = askedBy(statement);
    if (!asked || asked.sql === own.sql) return true;
    const sought = soughtIn(statement);
    const isOfEvent = (text: string) => values.has(text) && !ownIds.has(text);
    // The event lacks a field whose value is null.
    return sought.length > 0 && !sought.some((value) => value === null || value.some(isOfEvent));
  });
}

/**
 * Whether a delivery shows that it lacks the row of a lookup. After a check for copies, it may as well have been refused for another
 * reason.
 */
export function lacksRow(lead: Lead, one: Delivered, shapes: readonly TableShape[]): boolean {
  const isChange = /^\s*(?:update|delete)\b/i.test(lead.asked.sql);
  if (!lead.sought.every(isLasting)) return (isChange || isMissed(one)) && isAlone(lead, one);
  if (isChange || isMissed(one) || one.isAccepted) return true;
  // A handler that takes a row for granted fails without it. That is likely where there is one row for each of the things.
  const { key, unique } = shapes.find(({ name }) => name === lead.table) ?? { key: [], unique: [] };
  const isIdentity = ({ column }: { column: string }) =>
    [key, ...unique].some(([only, more]) => only === column && more === undefined);
  return (one.status ?? 500) >= 500 && lead.sought.every(isIdentity);
}
