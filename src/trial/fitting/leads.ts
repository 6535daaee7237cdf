import { valuesOf } from "../../webhooks/body-text.ts";
import { valueAt } from "../../webhooks/example.ts";
import type { SenderFacts } from "../../webhooks/sender-file.ts";
import type { Row, TableShape } from "../database/dialect.ts";
import type { CopiedRows } from "../database/on-copy.ts";
import { type Asked, askedBy, soughtIn } from "../statements/parameters.ts";
import type { Statement } from "../statements/statements.ts";
import { plainName } from "../subject/row-columns.ts";
import type { Delivered } from "./delivered.ts";
import { lastName } from "./written.ts";

/** A value in a sender's example, identified by its kind. */
export interface ExampleId {
  kind: string;
  /** The value's position among the examples of the same kind. */
  index: number;
  value: string;
}

/**
 * Kinds of objects that outlive an event. Others, such as payments, are often new with their event: a handler that
 * looks one up may only be checking whether it has seen it before.
 */
const LASTING =
  /^(?:account|app|audience|billing\.meter|channel|customer|email|external_id|full_name|installation|instance|inventory_item|item|location|lookup_key|merchant|organization|plan|price|product|repository|shop|sku|team|user|v2\.core\.account|variant|workspace)$/;

export const isLasting = ({ kind }: { kind: string }): boolean => LASTING.test(kind);

/** A lookup in one table, by ids or e-mail addresses from the event, that found no row. */
export interface Lead {
  /** Undefined if statements are not observed, and the table's columns only suggest the lookup. */
  asked: Asked | undefined;
  table: string;
  sought: readonly (ExampleId & { column: string })[];
  /** A key that is equal for the same lookup in another run. */
  name: string;
}

type Kinds = Pick<SenderFacts, "kinds">;

const nameOf = (table: string, sought: Lead["sought"]): string =>
  `${table}: ${sought
    .map(({ column, kind, index }) => `${column} ${kind} ${index}`)
    .toSorted()
    .join(", ")}`;

export const exampleIds = ({ kinds = {} }: Kinds): ExampleId[] =>
  Object.entries(kinds).flatMap(([kind, examples]) =>
    [examples].flat().map((value, index) => ({ kind, index, value })),
  );

/**
 * The lookups of a delivery that found no row, last one first: the lookup at which a handler stops is the one that
 * matters.
 * @param facts the sender's facts, with the event's ids
 */
export async function leadsOf(
  { statements, values, ownIds }: Delivered,
  facts: Kinds,
  { soughtBy, firstRows }: Pick<CopiedRows, "soughtBy" | "firstRows">,
  shapes: readonly TableShape[],
): Promise<Lead[]> {
  const ids = exampleIds(facts).filter(({ value }) => values.has(value) && !ownIds.has(value));
  if (statements === undefined) {
    const tables = await Promise.all(
      shapes.map(async ({ name }) => likelyLeads(name, await firstRows(name), ids.filter(isLasting))),
    );
    // A row with an id of its own comes before one that would be given an id.
    return [...tables.flatMap(({ filled }) => filled), ...tables.flatMap(({ empty }) => empty)];
  }
  const leads: Lead[] = [];
  for (const statement of statements.toReversed()) {
    const asked = askedBy(statement);
    const found = asked
      ? await soughtBy(
          asked,
          ids.map(({ value }) => value),
        )
      : [];
    const [first] = found;
    if (!asked || !first) continue;
    const sought = found
      .filter(({ table }) => table === first.table)
      .map(({ column, value }) => ({ ...ids.find((id) => id.value === value)!, column }));
    const name = nameOf(first.table, sought);
    if (!leads.some((lead) => lead.name === name)) leads.push({ asked, table: first.table, sought, name });
  }
  return leads;
}

/** A pattern for ids of an example's kind: with its prefix, or an e-mail address; undefined for other ids. */
export function formOf(example: string): RegExp | undefined {
  if (/^\S+@\S+$/.test(example)) return /^\S+@\S+$/;
  const [prefix] = /^[a-z]{2,}_/.exec(example) ?? [];
  return prefix === undefined ? undefined : new RegExp(`^${prefix}\\w+$`);
}

const isNamedAfter = (column: string, kind: string): boolean =>
  [plainName(kind), `${plainName(kind)}id`].some((end) => plainName(column).endsWith(end));

/** Lookups that a table's columns suggest: those with ids of a kind, and empty ones that are named after a kind. */
function likelyLeads(
  table: string,
  rows: readonly Row[],
  ids: readonly ExampleId[],
): Record<"filled" | "empty", Lead[]> {
  const columns = Object.keys(rows[0] ?? {});
  const valuesIn = (column: string) => rows.map((row) => row[column]).filter((value) => value !== null);
  const having = (isLikely: (values: readonly unknown[], column: string, id: ExampleId) => boolean) =>
    ids.flatMap((id) =>
      columns.flatMap((column) => {
        const values = valuesIn(column);
        return isLikely(values, column, id) && !values.includes(id.value) ? { ...id, column } : [];
      }),
    );
  const filled = having((values, _column, { value }) => {
    const form = formOf(value);
    return form !== undefined && values.some((one) => form.test(String(one)));
  });
  const empty = having((values, column, { kind }) => values.length === 0 && isNamedAfter(column, kind));
  const leadsFor = (sought: Lead["sought"]) =>
    sought.length === 0 ? [] : [{ asked: undefined, table, sought, name: nameOf(table, sought) }];
  return { filled: leadsFor(filled), empty: leadsFor(empty) };
}

const INSERTS = /\binsert\s+into\s+([\w."`[\]]+)/gi;
const LOOKS = /\b(?:from|join|update)\s+([\w."`[\]]+)/gi;
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => lastName(name!));

const WRITES = /^(?:insert \d+|update|delete|merge) [1-9]/i;
/** A handler may record each event, whether or not it acts on it. */
const MOST_RECORDS = 1;

/** The parts of a delivery that are needed for a guess. */
interface Guessed {
  isAccepted: boolean;
  statements: readonly Statement[];
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * Whether a delivery's statements suggest a lookup that lacks one of the user's rows. This is a guess, because no database
 * is queried.
 */
export function mayLackRow(
  { isAccepted, statements, headers, body }: Guessed,
  facts: Kinds & Pick<SenderFacts, "id">,
): boolean {
  const writes = statements.filter(({ result }) => WRITES.test(result ?? ""));
  if (isAccepted && writes.length > MOST_RECORDS) return false;
  const own = new Set([valueAt(facts.id, headers, body), ...Object.values(headers)]);
  const values = new Set(valuesOf(body).map(({ text }) => text));
  const ids = exampleIds(facts).filter(({ value }) => values.has(value) && !own.has(value));
  const filled = new Set(statements.flatMap(({ text }) => namesIn(text, INSERTS)));
  return statements.some(
    (statement) =>
      askedBy(statement) !== undefined &&
      soughtIn(statement).some((sought) => ids.some(({ value }) => sought?.includes(value))) &&
      !namesIn(statement.text, LOOKS).some((name) => filled.has(name)),
  );
}
