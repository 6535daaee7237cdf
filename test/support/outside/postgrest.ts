import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenForTest } from "../listen.ts";

/** The part of pg that this file uses. */
interface Database {
  query(text: string, values: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

const OPERATORS: Record<string, string> = { eq: "=", neq: "<>", gt: ">", gte: ">=", lt: "<", lte: "<=" };
/** Query parameters that do not filter rows. */
const OTHERS = ["select", "order", "limit", "columns", "on_conflict"];
const STATUS: Record<string, number> = { 23505: 409, 23503: 409, "42P01": 404 };

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * A small PostgREST on top of a database, for reads, inserts, upserts, updates, deletes and functions as supabase-js
 * requests them.
 */
export async function startPostgrest(database: Database): Promise<string> {
  const server = createServer((request, response) => void answer(database, request, response));
  return `http://127.0.0.1:${await listenForTest(server)}`;
}

async function answer(database: Database, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, "http://localhost");
  let text = "";
  for await (const chunk of request) text += chunk;
  const [, , , ...path] = pathname.split("/");
  const prefer = String(request.headers.prefer ?? "");
  const isSingle = /pgrst\.object/.test(request.headers.accept ?? "");
  const give = (status: number, body?: unknown) =>
    void response
      .writeHead(status, { "content-type": "application/json" })
      .end(body === undefined ? "" : JSON.stringify(body));
  const body = text === "" ? undefined : JSON.parse(text);
  try {
    const { sql, values } =
      path[0] === "rpc"
        ? callOf(path[1]!, body ?? {})
        : statementOf({ method: request.method!, table: path[0]!, query: searchParams, prefer, body });
    const { rows } = await database.query(sql, values);
    if (path[0] === "rpc") return give(200, rows[0]?.result ?? null);
    const isRead = request.method === "GET";
    if (!isRead && !/return=representation/.test(prefer)) return give(request.method === "POST" ? 201 : 204);
    if (!isSingle) return give(200, rows);
    if (rows.length === 1) return give(200, rows[0]);
    give(406, {
      code: "PGRST116",
      message: `The result contains ${rows.length} rows`,
      details: null,
      hint: null,
    });
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    give(STATUS[code] ?? 400, { code, message, details: null, hint: null });
  }
}

function callOf(name: string, given: Record<string, unknown>) {
  const names = Object.keys(given);
  const list = names.map((one, index) => `${quoted(one)} => $${index + 1}`).join(", ");
  return { sql: `select ${quoted(name)}(${list}) as result`, values: Object.values(given) };
}

interface Call {
  method: string;
  table: string;
  query: URLSearchParams;
  prefer: string;
  body: Record<string, unknown> | Record<string, unknown>[] | undefined;
}

function statementOf({ method, table, query, prefer, body }: Call) {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const rows = body === undefined ? [] : [body].flat();
  const names = Object.keys(rows[0] ?? {});
  const set =
    method === "PATCH" ? names.map((one) => `${quoted(one)} = ${place(rows[0]![one])}`).join(", ") : "";
  const written =
    method === "POST"
      ? rows.map((row) => `(${names.map((one) => place(row[one])).join(", ")})`).join(", ")
      : "";
  const filters = [...query]
    .filter(([name]) => !OTHERS.includes(name))
    .map(([name, text]) => {
      const [, operator = "", value = ""] = /^(\w+)\.(.*)$/s.exec(text)!;
      if (operator === "is") return `${quoted(name)} is ${value === "null" ? "null" : value}`;
      if (operator === "in")
        return `${quoted(name)}::text = any(${place(value.replace(/^\(|\)$/g, "").split(","))})`;
      return `${quoted(name)}::text ${OPERATORS[operator]} ${place(value)}`;
    });
  const where = filters.length > 0 ? ` where ${filters.join(" and ")}` : "";
  const from = quoted(table);
  if (method === "GET") return { sql: `select * from ${from}${where}`, values };
  if (method === "DELETE") return { sql: `delete from ${from}${where} returning *`, values };
  if (method === "PATCH") return { sql: `update ${from} set ${set}${where} returning *`, values };
  const target = query.get("on_conflict");
  const conflict = /resolution=merge-duplicates/.test(prefer)
    ? ` on conflict (${(target ?? "id").split(",").map(quoted).join(", ")}) do update set ${names.map((one) => `${quoted(one)} = excluded.${quoted(one)}`).join(", ")}`
    : /resolution=ignore-duplicates/.test(prefer)
      ? " on conflict do nothing"
      : "";
  return {
    sql: `insert into ${from} (${names.map(quoted).join(", ")}) values ${written}${conflict} returning *`,
    values,
  };
}
