import { valuesOf } from "../../webhooks/body-text.ts";
import { valueAt } from "../../webhooks/example.ts";
import type { SenderFacts } from "../../webhooks/sender-file.ts";
import type { CopiedRows } from "../database/on-copy.ts";
import { type Asked, askedBy, soughtIn } from "../statements/parameters.ts";
import type { Statement } from "../statements/statements.ts";
import type { Delivered } from "./delivered.ts";
import { lastName } from "./written.ts";

/** A value in a sender's example, identified by its kind. */
export interface ExampleId {
  kind: string;
  /** The value's position among the examples of the same kind. */
  index: number;
  value: string;
}

/** A lookup in one table, by ids or e-mail addresses from the event, that found no row. */
export interface Lead {
  asked: Asked;
  table: string;
  sought: readonly (ExampleId & { column: string })[];
  /** A key that is equal for the same lookup in another run. */
  name: string;
}

type Kinds = Pick<SenderFacts, "kinds">;

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
  { soughtBy }: Pick<CopiedRows, "soughtBy">,
): Promise<Lead[]> {
  const ids = exampleIds(facts).filter(({ value }) => values.has(value) && !ownIds.has(value));
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
    const columns = sought.map(({ column, kind, index }) => `${column} ${kind} ${index}`).toSorted();
    const name = `${first.table}: ${columns.join(", ")}`;
    if (!leads.some((lead) => lead.name === name)) leads.push({ asked, table: first.table, sought, name });
  }
  return leads;
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
