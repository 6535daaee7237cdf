import { type Known, knowing } from "../../senders/known.ts";
import type { FileSender } from "../../webhooks/described.ts";
import type { Cell, Row, TableShape } from "../database/dialect.ts";
import type { CopiedRows } from "../database/on-copy.ts";
import type { ExampleId, Lead } from "./leads.ts";

/** A row that replaces the subject of a sender's examples. */
export interface Fit extends ExampleId, Cell {
  shape: TableShape;
  /** Whether the row is given the example's id in the copy, because it has none. */
  isSet: boolean;
  /** The value of another row, for events about a second object; undefined if no other row has one. */
  next: string | undefined;
}

/** How many rows to try for a lookup. */
const MOST_ROWS = 3;
/** Shorter ids may occur in other values. */
const LEAST_ID = 4;

/**
 * The rows' values, as a user would write them in `known`.
 * @param hasNext whether to list a second value if there is only one in use
 */
export function knownOf(fits: readonly Fit[], { facts }: FileSender, hasNext = false): Known {
  const kinds = Map.groupBy(fits, ({ kind }) => kind);
  return Object.fromEntries(
    [...kinds].map(([kind, own]) => {
      const examples = [facts.kinds![kind]!].flat();
      const last = Math.max(...own.map(({ index }) => index));
      const values = examples
        .slice(0, last + 1)
        .map((example, index) => own.find((one) => one.index === index)?.value ?? example);
      if (values.length > 1) return [kind, values];
      const next = hasNext ? own[0]!.next : undefined;
      return [kind, next === undefined ? values[0] : [values[0]!, next]];
    }),
  );
}

export const senderWith = (sender: FileSender, fits: readonly Fit[]): FileSender =>
  knowing(sender, knownOf(fits, sender));

const sameId = (one: ExampleId, other: ExampleId): boolean =>
  one.kind === other.kind && one.index === other.index;

const isFree = (value: unknown): boolean => value === null || value === undefined || value === "";

/** Whether a column's value can replace an example. */
const isUsable = (value: unknown, example: string): boolean =>
  /^(?:string|number)$/.test(typeof value) &&
  (/^\d+$/.test(example) ? /^\d+$/.test(String(value)) : String(value).length >= LEAST_ID);

/**
 * A key that is equal for rows that a handler is likely to treat alike: rows with the same words (such as a status),
 * the same flags and the same nulls.
 */
const profileOf = (row: Row, sought: Lead["sought"]): string =>
  JSON.stringify(
    Object.entries(row)
      .filter(([name]) => !sought.some(({ column }) => column === name))
      .map(([, value]) =>
        typeof value === "boolean" || value === null || /^[a-z_-]{1,20}$/.test(String(value)) ? value : "",
      ),
  );

interface RowsParts {
  copied: CopiedRows;
  shapes: readonly TableShape[];
  /** The columns that the event's lookups use to search the table. */
  columns: readonly string[];
  /** The example's own id, which a row may be given. */
  example(id: ExampleId): string;
  /** Values that the user specified. A row with such a key comes first. */
  named: ReadonlySet<string>;
}

/**
 * The rows that a lookup could find, each with the fits that it needs in addition to the current ones. Several lookups in
 * one table get the same row. A row is given the example's id only if no row has a value of its own.
 */
export async function rowsFor(
  { asked, table, sought }: Lead,
  fits: readonly Fit[],
  { copied, shapes, example, columns, named }: RowsParts,
): Promise<{ isEmpty: boolean; options: Fit[][] }> {
  const shape = shapes.find(({ name }) => name === table);
  const all = shape ? await copied.firstRows(table) : [];
  if (!shape || all.length === 0) return { isEmpty: shape !== undefined, options: [] };
  const present = fits.find((one) => one.table === table);
  const isNamed = (row: Row) => Number(shape.key.some((key) => named.has(String(row[key]))));
  const valuesIn = (row: Row) => columns.filter((column) => !isFree(row[column])).length;
  const lacksAll = (row: Row) => sought.every(({ column }) => isFree(row[column]));
  const rows = present
    ? all.filter((row) => shape.key.every((key) => String(row[key]) === String(present.row[key])))
    : all.toSorted((a, b) => isNamed(b) - isNamed(a) || valuesIn(b) - valuesIn(a));
  const options: { fits: Fit[]; profile: string }[] = [];
  const canSet = shape.key.length > 0 && (present !== undefined || all.every(lacksAll));
  /** The fits including a row; undefined if the row cannot be used. */
  async function withRow(row: Row): Promise<Fit[] | undefined> {
    const renamed = new Map<string, string>();
    let made = [...fits];
    for (const id of sought) {
      const found = row[id.column];
      const isSet = isFree(found);
      // A lookup that was not observed may use fewer columns.
      if (isSet && !canSet && asked === undefined) continue;
      const other = made.find((one) => sameId(one, id));
      const value = isSet ? (other?.value ?? example(id)) : String(found);
      if (isSet ? !canSet : !isUsable(found, example(id))) return undefined;
      if (other && other.value !== value) {
        // The other table may contain this value, too.
        const again = other.isSet
          ? undefined
          : (await copied.firstRows(other.table)).find((one) => String(one[other.column]) === value);
        if (!again) return undefined;
        made = made.map((one) => (one === other ? { ...one, row: again, value } : one));
      }
      renamed.set(id.value, value);
      const others = isSet ? [] : all.map((one) => one[id.column]);
      const next = others.find((one) => isUsable(one, example(id)) && String(one) !== value);
      made.push({
        ...{ ...id, value, table, row, shape: shape!, isSet },
        next: next === undefined ? undefined : String(next),
      });
    }
    if (made.length === fits.length) return undefined;
    const isMet =
      asked === undefined ||
      made.some(({ isSet }) => isSet) ||
      (await copied.meets(asked, renamed)) !== false;
    return isMet ? made : undefined;
  }

  for (const row of rows) {
    const profile = profileOf(row, sought);
    if (options.some((one) => one.profile === profile)) continue;
    const made = await withRow(row);
    if (made) options.push({ fits: made, profile });
    if (options.length === MOST_ROWS) break;
  }
  return { isEmpty: false, options: options.map((one) => one.fits) };
}
