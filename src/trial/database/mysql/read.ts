import type { Row } from "../dialect.ts";
import type { MysqlTable } from "./catalog.ts";
import { type Connection, quoted } from "./client.ts";
import { asJson } from "./values.ts";

/** A table's rows as JSON values. @param most the maximum number of rows */
export async function rowsOf(
  { query }: Connection,
  { sql, columns, inOrder }: MysqlTable,
  most: number,
): Promise<Row[]> {
  const list = columns.map(({ name }) => quoted(name)).join(", ");
  const byName = new Map(columns.map((column) => [column.name, column]));
  const rows = await query(`select ${list} from ${sql} ${inOrder} limit ${most}`, [], (field) =>
    asJson(byName.get((field as unknown as { name: string }).name)!, field),
  );
  return rows.map((row) => ({ ...row }));
}
