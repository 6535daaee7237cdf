import { type Delivered, hasWorked } from "./delivered.ts";

/**
 * The columns that deliveries fill in new rows and in existing ones: `users.email`, or `users.*` for all columns of a
 * table.
 */
export interface WrittenColumns {
  inserted: Set<string>;
  updated: Set<string>;
}

const NAME = String.raw`[\w."\x60[\]]+`;
const INSERT = new RegExp(
  String.raw`\binsert\s+(?:or\s+\w+\s+)?into\s+(?:only\s+)?(${NAME})\s*(?:(?:as\s+)?(?!values\b|select\b|default\b)\w+\s*)?(?:\(([^)]*)\))?`,
  "gi",
);
const REPLACE = new RegExp(String.raw`\b(?:replace|merge)\s+into\s+(${NAME})`, "gi");
const UPDATE = new RegExp(
  String.raw`\bupdate\s+(?:only\s+)?(${NAME})\s+(?:(?:as\s+)?(?!set\b)${NAME}\s+)?set\s+(.*?)(?:\bwhere\b|$)`,
  "gis",
);
const ASSIGNED = new RegExp(String.raw`(?:^|,|\()\s*(${NAME})\s*=`, "g");

/** An SQL name without its schema, for comparison. */
export const lastName = (name: string): string =>
  name
    .replaceAll(/["`[\]]/g, "")
    .split(".")
    .at(-1)!
    .trim()
    .toLowerCase();
const place = (table: string, column: string): string => `${lastName(table)}.${lastName(column)}`;

export const createWritten = (): WrittenColumns => ({ inserted: new Set(), updated: new Set() });

/**
 * Notes the columns that a delivery fills. Its statements show them even if the row is rolled back, and its rows show
 * them even if a function writes them.
 */
export function noteWritten({ inserted, updated }: WrittenColumns, one: Delivered): void {
  const { changes, statements = [] } = one;
  for (const { shape, before, after } of changes)
    for (const [column, value] of Object.entries(after ?? {}))
      if (value !== null && value !== before?.[column])
        (before ? updated : inserted).add(place(shape.name, column));
  for (const { text } of statements) {
    for (const [, table, columns] of text.matchAll(INSERT))
      for (const column of columns?.split(",") ?? ["*"]) inserted.add(place(table!, column));
    for (const [, table] of text.matchAll(REPLACE)) inserted.add(place(table!, "*"));
    // An ORM may set all columns of a row. In that case, the values show which ones have changed.
    for (const [, table, assigned] of hasWorked(one) ? [] : text.matchAll(UPDATE))
      for (const [, column] of assigned!.matchAll(ASSIGNED)) updated.add(place(table!, column!));
  }
}

/** Whether deliveries fill a column: in new rows or, with `alsoUpdated`, in existing ones. */
export function isWritten(
  { inserted, updated }: WrittenColumns,
  table: string,
  column: string,
  alsoUpdated: boolean,
): boolean {
  const own = place(table, column);
  return inserted.has(own) || inserted.has(place(table, "*")) || (alsoUpdated && updated.has(own));
}
