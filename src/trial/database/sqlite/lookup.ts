import type Sqlite from "better-sqlite3";
import { unlessThrown } from "../../../runtime/unless-thrown.ts";
import type { Asked } from "../../statements/parameters.ts";
import type { Lookup, SoughtColumn, TableShape } from "../dialect.ts";
import { MOST_LOOKED_AT, renamedIn, selectIn, textOf, unquoted } from "../lookup.ts";
import { quoted } from "./catalog.ts";

const TEXT = "'(?:[^']|'')*'";
const NAME = '(?:"(?:[^"]|"")+"|`(?:[^`]|``)+`|\\[[^\\]]+\\]|[\\p{L}_][\\p{L}\\w$]*)';
const PLACEHOLDER = String.raw`\?\d*|[:@$]\w+`;
/** The SQL tokens that matter here; anything else is a single character. */
const TOKENS = new RegExp(
  `--[^\\n]*|/\\*[\\s\\S]*?\\*/|${TEXT}|${PLACEHOLDER}|\\d+(?:\\.\\d+)?|${NAME}|[<>=!|]{2}|->>?|\\S`,
  "gu",
);
const IS_NAME = new RegExp(`^${NAME}$`, "u");
const IS_PLACEHOLDER = new RegExp(`^(?:${PLACEHOLDER})$`);
/** Keywords that can follow a table name and so are not an alias. */
const NO_ALIAS =
  /^(?:where|set|on|using|join|inner|left|right|full|cross|natural|order|group|limit|having|union|indexed|not|returning|values|default)$/i;

/** Returns a function that reads a token's value; undefined if the token is not a value. */
function valueReader({ values }: Asked): (token: string) => string | null | undefined {
  let next = 0;
  return (token) => {
    if (token[0] === "'") return token.slice(1, -1).replaceAll("''", "'");
    if (/^\d/.test(token)) return token;
    if (!IS_PLACEHOLDER.test(token)) return undefined;
    const index = /^\?\d/.test(token) ? Number(token.slice(1)) - 1 : next;
    next += 1;
    return textOf(values[index] ?? null);
  };
}

/** A statement's tokens with their values. */
function readTokens(asked: Asked): { text: string; value: string | null | undefined }[] {
  const read = valueReader(asked);
  const tokens = [...asked.sql.matchAll(TOKENS)].map(([text]) => ({ text, value: read(text) }));
  return tokens.filter(({ text }) => !/^(?:--|\/\*)/.test(text));
}

/** SQL with a placeholder for each value except numbers, and the values, with replacements applied. */
function bound(asked: Asked, sql: string, renamed: ReadonlyMap<string, string>) {
  const read = valueReader(asked);
  const values: (string | null)[] = [];
  const text = sql.replaceAll(TOKENS, (token) => {
    const value = read(token);
    if (value === undefined || /^\d/.test(token)) return token;
    values.push(value === null ? null : renamedIn(value, renamed));
    return "?";
  });
  return { text, values };
}

/** The columns that a statement compares with values, according to its text. */
export function comparedIn(asked: Asked): { table: string | undefined; column: string; value: string }[] {
  const tokens = readTokens(asked);
  const textAt = (index: number): string => tokens[index]?.text ?? "";
  const isName = (index: number): boolean => IS_NAME.test(textAt(index));
  const tables = new Map<string, string>();
  for (const [index, { text }] of tokens.entries()) {
    if (!/^(?:from|join|update|into)$/i.test(text) || !isName(index + 1)) continue;
    // The table's name may be qualified with its database's name.
    let at = textAt(index + 2) === "." ? index + 3 : index + 1;
    const table = unquoted(textAt(at));
    tables.set(table.toLowerCase(), table);
    at += /^as$/i.test(textAt(at + 1)) ? 2 : 1;
    if (isName(at) && !NO_ALIAS.test(textAt(at))) tables.set(unquoted(textAt(at)).toLowerCase(), table);
  }
  const [only] = new Set(tables.values()).size === 1 ? tables.values() : [];

  /** The column whose name ends before a token. */
  function columnBefore(index: number): { table: string | undefined; column: string } | undefined {
    const isCalled = textAt(index) === ")";
    const last = isCalled ? index - 1 : index;
    if (!isName(last)) return undefined;
    const [qualifier] = textAt(last - 1) === "." ? [unquoted(textAt(last - 2)).toLowerCase()] : [];
    const first = qualifier === undefined ? last : last - 2;
    // The column may be in parentheses, or in a function that only normalizes text.
    const isPlain = /^(?:lower|trim)$/i.test(textAt(first - 2)) || !isName(first - 2);
    if (isCalled && !(textAt(first - 1) === "(" && isPlain)) return undefined;
    return {
      column: unquoted(textAt(last)),
      table: qualifier === undefined ? only : tables.get(qualifier),
    };
  }

  const where = tokens.findIndex(({ text }) => /^where$/i.test(text));
  // Values assigned by `set` are not compared.
  const set = tokens.findIndex(({ text }, index) => index < where && /^set$/i.test(text));
  return tokens.flatMap(({ value }, index) => {
    if (set >= 0 && index > set && index < where) return [];
    if (value === null || value === undefined) return [];
    const before = textAt(index - 1);
    let column: ReturnType<typeof columnBefore>;
    if (/^(?:==?|is|like)$/i.test(before)) column = columnBefore(index - 2);
    else if (before === "(" || before === ",") {
      // A list after IN.
      let at = index - 1;
      while (textAt(at) === "," && tokens[at - 1]?.value !== undefined) at -= 2;
      if (textAt(at) === "(" && /^in$/i.test(textAt(at - 1))) column = columnBefore(at - 2);
    }
    return column ? { ...column, value } : [];
  });
}

export function openLookup(db: Sqlite.Database, shapes: () => readonly TableShape[]): Lookup {
  const columnsOf = (table: string): string[] =>
    db.prepare<[string], string>("select name from pragma_table_xinfo(?, 'main')").pluck().all(table);
  const named = (names: readonly string[], name: string) =>
    names.find((one) => one.toLowerCase() === name.toLowerCase());
  const tableNames = () => shapes().map(({ name }) => name);

  return {
    async soughtBy(asked, values) {
      return comparedIn(asked).flatMap((one): SoughtColumn[] => {
        const value = values.find((text) => text.toLowerCase() === one.value.toLowerCase());
        if (value === undefined) return [];
        const having = tableNames().filter((name) => named(columnsOf(name), one.column));
        const table =
          one.table === undefined ? (having.length === 1 ? having[0] : undefined) : named(having, one.table);
        const column = table && named(columnsOf(table), one.column);
        return table && column ? [{ table, column, value }] : [];
      });
    },
    firstRows: async (table) =>
      db
        .prepare<[], Record<string, unknown>>(`select * from main.${quoted(table)} limit ${MOST_LOOKED_AT}`)
        .all(),
    async meets(asked, renamed) {
      const sql = selectIn(asked);
      if (sql === undefined) return undefined;
      const { text, values } = bound(asked, sql, renamed);
      return unlessThrown(() => db.prepare(`select 1 from (${text}) limit 1`).all(...values).length > 0);
    },
    async set({ table, column, row }, value) {
      const { key = [] } = shapes().find(({ name }) => name === table) ?? {};
      if (key.length === 0) return false;
      const isRow = key.map((name) => `${quoted(name)} = ?`).join(" and ");
      try {
        db.prepare(`update main.${quoted(table)} set ${quoted(column)} = ? where ${isRow}`).run(
          value,
          ...key.map((name) => row[name]),
        );
        return true;
      } catch {
        return false;
      }
    },
  };
}
