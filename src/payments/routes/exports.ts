import type { FastifyReply, FastifyRequest } from "fastify";
import { readMoment } from "../../world/duration.ts";
import { writeCsv } from "../csv.ts";
import { dayOf } from "../days.ts";
import { invalidField } from "../errors.ts";
import type { Condition } from "../listing.ts";
import { apiPath } from "./support.ts";

export interface ExportQuery {
  format: "csv" | "json";
  from?: string;
  to?: string;
}

/** The rows made between two instants, both included. */
export function createdBetween({ from, to }: ExportQuery): Condition[] {
  const [start, end] = [from, to].map((text) => (text === undefined ? undefined : readMoment(text)!));
  if (start !== undefined && end !== undefined && start > end)
    throw invalidField("to", `to must not be before from: ${to} is before ${from}.`);
  return [
    start === undefined ? undefined : ["created_at >= ?", start],
    end === undefined ? undefined : ["created_at <= ?", end],
  ];
}

/** Answers with a whole list as a file: CSV with these columns, or the JSON of the resources in a list envelope. */
export function sendExport<Item extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    name,
    format,
    items,
    columns,
  }: {
    name: string;
    format: ExportQuery["format"];
    items: Item[];
    columns: { [Column in string]: (item: Item) => unknown };
  },
): FastifyReply {
  const day = dayOf(request.payments.world.clock.now());
  reply.header("content-disposition", `attachment; filename="${name}-${day}.${format}"`);
  if (format === "json") {
    const list = { object: "list", data: items, has_more: false, total_count: items.length };
    return reply
      .type("application/json; charset=utf-8")
      .send(JSON.stringify({ ...list, url: apiPath(request) }));
  }
  const rows = items.map((item) =>
    Object.fromEntries(Object.entries(columns).map(([column, read]) => [column, read(item)])),
  );
  return reply.type("text/csv; charset=utf-8").send(writeCsv(Object.keys(columns), rows));
}

/** Columns that have the names of fields. */
export function fieldColumns<Item extends object>(
  names: readonly (keyof Item & string)[],
): { [Column in string]: (item: Item) => unknown } {
  return Object.fromEntries(names.map((name) => [name, (item: Item) => item[name]]));
}
