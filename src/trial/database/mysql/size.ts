import { using } from "../dialect.ts";
import type { DatabaseSize } from "../kind.ts";
import { isLocal } from "../size.ts";
import { connectTo } from "./client.ts";

export const sizeOfMysql = (source: string): Promise<DatabaseSize> =>
  using(connectTo(source), async ({ query, address }) => {
    const tables = await query(
      `select table_name as name, table_type as type, coalesce(table_rows, 0) as \`rows\`,
         coalesce(data_length + index_length, 0) as bytes
       from information_schema.tables where table_schema = ? and table_type <> 'VIEW'`,
      [address.database],
    );
    const sum = (column: "rows" | "bytes") => tables.reduce((all, one) => all + Number(one[column]), 0);
    const unrestored = tables.flatMap(({ name, type }) =>
      type === "SYSTEM VERSIONED" ? `the history of ${name}` : [],
    );
    return { isLocal: isLocal(source), bytes: sum("bytes"), rows: sum("rows"), unrestored };
  });
