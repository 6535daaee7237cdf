import type { TSchema } from "typebox";
import { type Condition, listEnvelope } from "../../http/listing.ts";
import type { RequestOf, Route } from "../../http/route-table.ts";
import { afterPendingIo } from "../../world/clock.ts";
import { readMoment } from "../../world/duration.ts";
import { dayOf } from "../days.ts";
import { invalidField } from "../errors.ts";
import { apiPath } from "./support.ts";
import { reads } from "./table.ts";

interface Range {
  from?: string;
  to?: string;
}

interface ExportQuery extends Range {
  format: "csv" | "json";
}

interface Export<Query extends TSchema, Item> {
  id: string;
  summary: string;
  query: Query;
  answer: TSchema;
  /** Reads the rows in the query's period, in chunks. */
  items: (request: RequestOf<TSchema, Query, TSchema>, created: Condition[]) => Iterable<Item[]>;
  /** The columns of the CSV file: field names, including those that `cells` adds. */
  columns: readonly string[];
  cells?: (item: Item) => object;
}

/** A route that downloads a whole list as CSV, or as JSON in the list envelope. */
export function downloads<Query extends TSchema, Item extends object>(
  name: `GET /${string}/export`,
  { items, columns, cells = (item) => item, ...entry }: Export<Query, Item>,
): Route {
  return reads(name, {
    ...entry,
    description: "As CSV, or as JSON in a list envelope; newest first.",
    produces: ["text/csv"],
    async run(request, reply) {
      const query = request.query as ExportQuery;
      const parts = items(request, createdBetween(query));
      const day = dayOf(request.payments.world.clock.now());
      const file = `${name.split("/")[1]}-${day}.${query.format}`;
      reply.header("content-disposition", `attachment; filename="${file}"`);
      const isJson = query.format === "json";
      const writeRow = (item: Item) => {
        const fields = cells(item) as Record<string, unknown>;
        return `${columns.map((column) => writeCell(fields[column])).join(",")}\r\n`;
      };
      const texts: string[] = [];
      let total = 0;
      for (const part of parts) {
        total += part.length;
        texts.push(isJson ? part.map((item) => JSON.stringify(item)).join(",") : part.map(writeRow).join(""));
        await new Promise<void>((resolve) => afterPendingIo(resolve));
      }
      const header = `${columns.join(",")}\r\n`;
      if (!isJson) return reply.type("text/csv; charset=utf-8").send(header + texts.join(""));
      const envelope = JSON.stringify(listEnvelope([], total, { page: 1, limit: total }, apiPath(request)));
      return reply
        .type("application/json; charset=utf-8")
        .send(envelope.replace('"data":[]', () => `"data":[${texts.join(",")}]`));
    },
  });
}

/** Matches rows created between two instants, inclusive. */
export function createdBetween({ from, to }: Range): Condition[] {
  const [start, end] = [from, to].map((text) => (text === undefined ? undefined : readMoment(text)!));
  if (start !== undefined && end !== undefined && start > end)
    throw invalidField("to", `to must not be before from: ${to} is before ${from}.`);
  return [
    start === undefined ? undefined : ["created_at >= ?", start],
    end === undefined ? undefined : ["created_at <= ?", end],
  ];
}

/**
 * Prefixes that make spreadsheets evaluate a cell as a formula. Escape them, because payers choose names and
 * references.
 */
const FORMULA = /^[=+\-@\t\r]/;

/** Formats a CSV cell according to RFC 4180, quoted if necessary. */
function writeCell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
