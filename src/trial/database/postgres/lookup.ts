import type { Asked } from "../../statements/parameters.ts";
import type { Lookup, Row, SoughtColumn, TableShape } from "../dialect.ts";
import { asPattern, MOST_LOOKED_AT, renamedIn, selectIn, singleIn, textOf, unquoted } from "../lookup.ts";
import { IN_ORDER, type PostgresTable } from "./catalog.ts";
import { type Connection, literal, quoted } from "./client.ts";

const NAME = String.raw`(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\w$]*)`;
/** Matches what may come between a column and an operator: a closing parenthesis and casts. */
const CASTS = String.raw`(?:\)|::(?:character varying|timestamp with(?:out)? time zone|"?[a-z_]\w*"?)(?:\(\d+\))?)*`;

/** A query plan node from `explain (verbose, format json)`. */
interface PlanNode {
  "Relation Name"?: string;
  Schema?: string;
  Alias?: string;
  Plans?: PlanNode[];
  [condition: string]: unknown;
}

const nodesIn = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesIn)];

const conditionsOf = (node: PlanNode): string[] =>
  Object.entries(node).flatMap(([name, value]) =>
    /(?:Cond|Filter)$/.test(name) && typeof value === "string" ? value : [],
  );

/** The columns that a plan's conditions compare with a value, with their table aliases. */
function comparedIn(condition: string, value: string): [alias: string, column: string][] {
  const plain = asPattern(literal(value));
  const number = /^\d+$/.test(value) ? `|${value}(?!\\w)` : "";
  const inList = `ANY \\('\\{(?:[^}]*,)?"?${asPattern(value.replaceAll("'", "''"))}"?[,}]`;
  const pattern = new RegExp(`(${NAME})\\.(${NAME})${CASTS} = (?:\\(?${plain}${number}|${inList})`, "giu");
  return [...condition.matchAll(pattern)].map(([, alias, column]) => [unquoted(alias!), unquoted(column!)]);
}

/** @param home the default schema */
export function openLookup(
  { query }: Connection,
  home: string,
  { tables, shapes }: { tables(): Promise<PostgresTable[]>; shapes(): Promise<readonly TableShape[]> },
): Lookup {
  const valuesOf = ({ sql, values }: Asked) => (/\$\d/.test(sql) ? values.map(textOf) : []);
  /** Runs a statement as the server did, to read its result. */
  async function read(sql: string, values: readonly unknown[]) {
    try {
      await query("begin");
      await query(
        "select set_config('search_path', concat_ws(', ', quote_ident($1), current_setting('search_path')), true)",
        [home],
      );
      return await query(sql, values);
    } catch {
      return undefined;
    } finally {
      await query("rollback");
    }
  }
  const tableOf = async (name: string) => (await tables()).find((table) => table.name === name);

  return {
    async soughtBy(asked, values) {
      const sql = singleIn(asked);
      const found = sql && (await read(`explain (verbose, format json) ${sql}`, valuesOf(asked)));
      if (!found) return [];
      const nodes = nodesIn(found[0]["QUERY PLAN"][0].Plan);
      const relations = new Map(
        nodes.flatMap((node) => {
          const { "Relation Name": relation, Schema: schema, Alias: alias = relation } = node;
          return relation && alias ? [[alias, schema === home ? relation : `${schema}.${relation}`]] : [];
        }),
      );
      const all = nodes.flatMap(conditionsOf).flatMap((condition) =>
        values.flatMap((value) =>
          comparedIn(condition, value).flatMap(([alias, column]): SoughtColumn[] => {
            const table = relations.get(alias);
            return table === undefined ? [] : [{ table, column, value }];
          }),
        ),
      );
      return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
    },
    async firstRows(name) {
      const table = await tableOf(name);
      if (!table) return [];
      const rows: { row: Row }[] = await query(
        `select row_to_json(sandglass_row) as row from ${table.from} sandglass_row ${IN_ORDER} limit ${MOST_LOOKED_AT}`,
      );
      return rows.map(({ row }) => row);
    },
    async meets(asked, renamed) {
      const sql = selectIn(asked);
      if (sql === undefined) return undefined;
      const values = valuesOf(asked).map((value) => (value === null ? null : renamedIn(value, renamed)));
      const written = new Map([...renamed].map(([before, after]) => [before, literal(after).slice(1, -1)]));
      const changed = values.length > 0 ? sql : renamedIn(sql, written);
      const found = await read(`select 1 from (${changed}) sandglass_found limit 1`, values);
      return found === undefined ? undefined : found.length > 0;
    },
    async set({ table: name, column, row }, value) {
      const [table, shape] = [await tableOf(name), (await shapes()).find((one) => one.name === name)];
      if (!table || !shape || shape.key.length === 0) return false;
      const isRow = shape.key.map((key, index) => `${quoted(key)}::text = $${index + 2}`).join(" and ");
      return query(`update ${table.sql} set ${quoted(column)} = $1 where ${isRow}`, [
        value,
        ...shape.key.map((key) => String(row[key])),
      ]).then(
        () => true,
        () => false,
      );
    },
  };
}
