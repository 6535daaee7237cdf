import type { Cell } from "../database/dialect.ts";
import { keyText } from "../subject/row-changes.ts";
import { type Delivered, effectOf, isNear, type RowChange } from "./delivered.ts";

export type FoundRow = Pick<Cell, "table" | "row">;

const LEAST_TEXT = 3;
const LEAST_NUMBER = 100;

/** A field that changes each time, whatever the event is about: a time, a counter, or the latest event's id. */
const isRoutine = (before: unknown, after: unknown, { ownIds, times }: Delivered): boolean =>
  isNear(after, times) || Number(after) === Number(before) + 1 || ownIds.has(String(after));

/** The fields of a row whose values have actually changed. */
const changedFields = (
  { before = {}, after = {} }: RowChange,
  one: Delivered,
): [column: string, value: unknown][] =>
  Object.entries(after).filter(
    ([column, value]) => value !== before[column] && !isRoutine(before[column], value, one),
  );

const isRowOf = ({ shape, before }: RowChange, { table, row }: FoundRow): boolean =>
  shape.name === table && before !== undefined && keyText(shape.key, before) === keyText(shape.key, row);

export const changesRow = (one: Delivered, found: FoundRow): boolean =>
  effectOf(one).some(
    (change) =>
      isRowOf(change, found) && (change.after === undefined || changedFields(change, one).length > 0),
  );

/**
 * Whether a delivery's effect depends on the row that its lookup found: it changed that row or another one, or wrote
 * something from that row that is not in the event. A handler that treats the event as a duplicate does neither. If the
 * lookup was not observed, changing another row shows nothing, because that one may have been found by the same value.
 */
export const usesRow = (one: Delivered, found: FoundRow, key: readonly string[]): boolean =>
  changesRow(one, found) ||
  effectOf(one).some((change) => {
    const fields = changedFields(change, one);
    if (change.before !== undefined && !isRowOf(change, found))
      return one.statements !== undefined && fields.length > 0;
    const ofRow = (value: unknown) =>
      Object.values(found.row).some((own) => isTelling(own) && String(own) === String(value)) &&
      !one.values.has(String(value));
    const isKey = (column: string, value: unknown) =>
      /id$/i.test(column) &&
      !change.shape.key.includes(column) &&
      key.length === 1 &&
      String(value) === String(found.row[key[0]!]);
    return fields.some(([column, value]) => ofRow(value) || isKey(column, value));
  });

/** Whether a value is unlikely to equal another one by chance. */
const isTelling = (value: unknown): boolean =>
  typeof value === "string"
    ? value.length >= LEAST_TEXT && /\p{L}/u.test(value)
    : Number(value) >= LEAST_NUMBER;
