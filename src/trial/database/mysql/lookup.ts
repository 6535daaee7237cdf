import type { Asked } from "../../statements/parameters.ts";
import { type Lookup, type SoughtColumn, using } from "../dialect.ts";
import { asPattern, MOST_LOOKED_AT, renamedIn, selectIn, singleIn, textOf, unquoted } from "../lookup.ts";
import { shapesIn, tablesIn } from "./catalog.ts";
import { type Connection, connectTo, literal, quoted } from "./client.ts";
import { createPlain } from "./clone.ts";
import { plainOf } from "./names.ts";
import { rowsOf } from "./read.ts";
import { asSql } from "./values.ts";

const NAME = "(?:`(?:[^`]|``)+`|[\\p{L}_$][\\p{L}\\w$]*)";
/** Strings, names and comments, in which a question mark is not a placeholder. */
const TEXTS =
  /'(?:[^'\\]|''|\\[\s\S])*'|"(?:[^"\\]|""|\\[\s\S])*"|`(?:[^`]|``)*`|--\s[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\//g;

/** A statement's bound values; empty if the values are in its text. */
const boundIn = ({ sql, values }: Asked) =>
  sql.replaceAll(TEXTS, "").includes("?") ? values.map(textOf) : [];

/** The conditions in a query plan from `explain format=json`. */
function conditionsIn(plan: unknown): string[] {
  if (Array.isArray(plan)) return plan.flatMap(conditionsIn);
  if (typeof plan !== "object" || plan === null) return [];
  return Object.entries(plan).flatMap(([name, value]) =>
    typeof value === "string" ? (/condition$/.test(name) ? value : []) : conditionsIn(value),
  );
}

/** The columns that a condition compares with a value, with their table aliases. */
function comparedIn(condition: string, value: string): [alias: string, column: string][] {
  const text = `(?:_\\w+)?${asPattern(literal(value))}`;
  const plain = /^\d+$/.test(value) ? `(?:${text}|${value}(?![\\w.]))` : text;
  const column = `(?:${NAME}\\.)?(${NAME})\\.(${NAME})`;
  const converted = String.raw`(?: using \w+\)|\))*`;
  const pattern = new RegExp(
    `${column}${converted} (?:<?=>?|in \\((?:[^()]*,)?) ?(?:(?:<cache>|\\w+)\\()*${plain}`,
    "giu",
  );
  return [...condition.matchAll(pattern)].map(([, alias, name]) => [unquoted(alias!), unquoted(name!)]);
}

/**
 * A statement's tables, keyed by alias. They come from the note in which the server prints the statement with qualified
 * names.
 */
function aliasesIn(note: string, database: string): Map<string, string> {
  const pattern = new RegExp(`${asPattern(quoted(database))}\\.(${NAME})(?: (${NAME}))?`, "giu");
  return new Map(
    [...note.matchAll(pattern)].flatMap(([, table, alias]) =>
      alias?.startsWith("`") ? [[unquoted(alias), unquoted(table!)]] : [],
    ),
  );
}

export function openLookup(connection: Connection, database: string): Lookup {
  const { query, execute, source } = connection;
  const plain = plainOf(database);
  const tableOf = async (name: string) =>
    (await tablesIn(connection, database)).find((table) => table.name === name);
  let isMade = false;

  /** Connects to tables without indexes. With indexes, a plan does not show the values that it has looked up. */
  async function onPlain<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (!isMade) await createPlain(connection, database, plain);
    isMade = true;
    return using(connectTo(source, plain), work);
  }

  return {
    async soughtBy(asked, values) {
      const sql = singleIn(asked);
      if (sql === undefined) return [];
      const explained = await onPlain(async (at) => {
        const text = sql.replaceAll(database, plain);
        const [plan] = await at.execute(`explain format=json ${text}`, boundIn(asked));
        const notes = await at
          .execute(`explain extended ${text}`, boundIn(asked))
          .then(() => at.query("show warnings"))
          .catch(() => []);
        // MariaDB does not escape a backslash before a quote.
        return {
          plan: JSON.parse(plan.EXPLAIN.replaceAll("\\'", "\\\\'")),
          note: notes.map(({ Message }) => Message).join("\n"),
        };
      }).catch(() => undefined);
      if (!explained) return [];
      const aliases = aliasesIn(explained.note, plain);
      const found = conditionsIn(explained.plan).flatMap((condition) =>
        values.flatMap((value) =>
          comparedIn(condition, value).map(
            ([alias, column]): SoughtColumn => ({ table: aliases.get(alias) ?? alias, column, value }),
          ),
        ),
      );
      return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
    },
    async firstRows(name) {
      const table = await tableOf(name);
      return table ? rowsOf(connection, table, MOST_LOOKED_AT) : [];
    },
    async meets(asked, renamed) {
      const sql = selectIn(asked);
      if (sql === undefined) return undefined;
      const values = boundIn(asked).map((value) => (value === null ? null : renamedIn(value, renamed)));
      const written = new Map([...renamed].map(([before, after]) => [before, literal(after).slice(1, -1)]));
      const changed = values.length > 0 ? sql : renamedIn(sql, written);
      const found = await execute(`select exists (${changed}) as found`, values).catch(() => undefined);
      return found && Number(found[0].found) === 1;
    },
    async set({ table: name, column, row }, value) {
      const table = await tableOf(name);
      const shape = (await shapesIn(connection, database)).find((one) => one.name === name);
      const columnOf = (of: string) => table?.columns.find((one) => one.name === of);
      const changed = columnOf(column);
      if (!table || !shape || !changed || shape.key.length === 0) return false;
      const isRow = shape.key
        .map((key) => `${quoted(key)} = ${asSql(columnOf(key)!, row[key])}`)
        .join(" and ");
      // Without strict mode, a value that is too long would be truncated.
      await query("set @sandglass_mode = @@session.sql_mode; set session sql_mode = 'STRICT_ALL_TABLES'");
      return query(`update ${table.sql} set ${quoted(column)} = ${asSql(changed, value)} where ${isRow}`)
        .then(
          () => true,
          () => false,
        )
        .finally(() => query("set session sql_mode = @sandglass_mode"));
    },
  };
}
