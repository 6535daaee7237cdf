import { type Known, knowing } from "../../senders/known.ts";
import type { FileSender } from "../../webhooks/described.ts";
import type { Row, TableShape } from "../database/dialect.ts";
import type { CopiedRows } from "../database/on-copy.ts";
import type { ExampleId, Lead } from "./leads.ts";

/** A row that takes the place of what a sender's examples are about. */
export interface Fit extends ExampleId {
  table: string;
  column: string;
  row: Row;
  shape: TableShape;
  /** Whether the row gets the example's id on the copy, as it has none. */
  isSet: boolean;
}

/** How many rows are tried for a lookup. */
const MOST_ROWS = 3;
/** Shorter ids may occur in other values. */
const LEAST_ID = 4;

/** The values of rows, as a person would write them in `known`. */
export function knownOf(fits: readonly Fit[], { facts }: FileSender): Known {
  const kinds = Map.groupBy(fits, ({ kind }) => kind);
  return Object.fromEntries(
    [...kinds].map(([kind, own]) => {
      const examples = [facts.kinds![kind]!].flat();
      const last = Math.max(...own.map(({ index }) => index));
      const values = examples
        .slice(0, last + 1)
        .map((example, index) => own.find((one) => one.index === index)?.value ?? example);
      return [kind, values.length === 1 ? values[0] : values];
    }),
  );
}

export const senderWith = (sender: FileSender, fits: readonly Fit[]): FileSender =>
  knowing(sender, knownOf(fits, sender));

const sameId = (one: ExampleId, other: ExampleId): boolean =>
  one.kind === other.kind && one.index === other.index;

const isFree = (value: unknown): boolean => value === null || value === undefined || value === "";

/** Whether a value of a column can take an example's place. */
const isUsable = (value: unknown, example: string): boolean =>
  /^(?:string|number)$/.test(typeof value) &&
  (/^\d+$/.test(example) ? /^\d+$/.test(String(value)) : String(value).length >= LEAST_ID);

/** Equal for rows that a handler is likely to treat alike: with the same words, such as a status, flags and gaps. */
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
  /** The columns of the table in which the event's lookups look for rows. */
  columns: readonly string[];
  /** The example's own id, which a row may get. */
  example(id: ExampleId): string;
}

/**
 * The rows that a lookup could find, each with the fits that it needs beside the present ones. Several lookups in one table get the same
 * row. A row gets the example's id only if no row has a value of its own.
 */
export async function rowsFor(
  { asked, table, sought }: Lead,
  fits: readonly Fit[],
  { copied, shapes, example, columns }: RowsParts,
): Promise<{ isEmpty: boolean; options: Fit[][] }> {
  const shape = shapes.find(({ name }) => name === table);
  const all = shape ? await copied.firstRows(table) : [];
  if (!shape || all.length === 0) return { isEmpty: shape !== undefined, options: [] };
  const present = fits.find((one) => one.table === table);
  const valuesIn = (row: Row) => columns.filter((column) => !isFree(row[column])).length;
  const lacksAll = (row: Row) => sought.every(({ column }) => isFree(row[column]));
  const rows = present
    ? all.filter((row) => shape.key.every((key) => String(row[key]) === String(present.row[key])))
    : all.toSorted((one, other) => valuesIn(other) - valuesIn(one));
  const options: { fits: Fit[]; profile: string }[] = [];
  const canSet = shape.key.length > 0 && (present !== undefined || all.every(lacksAll));
  /** The fits with a row; undefined if the row cannot be used. */
  async function withRow(row: Row): Promise<Fit[] | undefined> {
    const renamed = new Map<string, string>();
    let made = [...fits];
    for (const id of sought) {
      const found = row[id.column];
      const isSet = isFree(found);
      const other = made.find((one) => sameId(one, id));
      const value = isSet ? (other?.value ?? example(id)) : String(found);
      if (isSet ? !canSet : !isUsable(found, example(id))) return undefined;
      if (other && other.value !== value) {
        // The other table may have this value, too.
        const again = other.isSet
          ? undefined
          : (await copied.firstRows(other.table)).find((one) => String(one[other.column]) === value);
        if (!again) return undefined;
        made = made.map((one) => (one === other ? { ...one, row: again, value } : one));
      }
      renamed.set(id.value, value);
      made.push({ ...id, value, table, row, shape: shape!, isSet });
    }
    const isMet = made.some(({ isSet }) => isSet) || (await copied.meets(asked, renamed)) !== false;
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
