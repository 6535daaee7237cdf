import type { TSchema } from "typebox";
import type { RequestOf, Route } from "../../http/route-table.ts";
import { readMoment } from "../../world/duration.ts";
import { writeCsv } from "../csv.ts";
import { dayOf } from "../days.ts";
import { invalidField } from "../errors.ts";
import { type Condition, listEnvelope } from "../listing.ts";
import { apiPath } from "./support.ts";
import { reads } from "./table.ts";

interface Range {
  from?: string;
  to?: string;
}

interface ExportQuery extends Range {
  format: "csv" | "json";
}

type Columns<Item> = { [Column in string]: (item: Item) => unknown };

interface Export<Query extends TSchema, Item> {
  id: string;
  tag: string;
  summary: string;
  query: Query;
  answer: TSchema;
  /** Reads the rows that were made in the time that the query names. */
  items: (request: RequestOf<TSchema, Query, TSchema>, created: Condition[]) => Item[];
  /** What a row of the CSV has. */
  columns: Columns<Item>;
}

/** A route that answers with a whole list as a file: CSV, or the JSON of the resources in a list envelope. */
export function downloads<Query extends TSchema, Item extends object>(
  name: `GET /${string}/export`,
  { items, columns, ...entry }: Export<Query, Item>,
): Route {
  return reads(name, {
    ...entry,
    description: "As CSV, or as JSON in a list envelope; newest first.",
    produces: ["text/csv"],
    run(request, reply) {
      const query = request.query as ExportQuery;
      const data = items(request, createdBetween(query));
      const day = dayOf(request.payments.world.clock.now());
      const file = `${entry.tag.toLowerCase()}-${day}.${query.format}`;
      reply.header("content-disposition", `attachment; filename="${file}"`);
      if (query.format === "json")
        return listEnvelope(data, data.length, { page: 1, limit: data.length }, apiPath(request));
      const rows = data.map((item) =>
        Object.fromEntries(Object.entries(columns).map(([column, read]) => [column, read(item)])),
      );
      return reply.type("text/csv; charset=utf-8").send(writeCsv(Object.keys(columns), rows));
    },
  });
}

/** The rows made between two instants, both included. */
export function createdBetween({ from, to }: Range): Condition[] {
  const [start, end] = [from, to].map((text) => (text === undefined ? undefined : readMoment(text)!));
  if (start !== undefined && end !== undefined && start > end)
    throw invalidField("to", `to must not be before from: ${to} is before ${from}.`);
  return [
    start === undefined ? undefined : ["created_at >= ?", start],
    end === undefined ? undefined : ["created_at <= ?", end],
  ];
}

/** Columns that have the names of fields. */
export function fieldColumns<Item extends object>(names: readonly (keyof Item & string)[]): Columns<Item> {
  return Object.fromEntries(names.map((name) => [name, (item: Item) => item[name]]));
}
