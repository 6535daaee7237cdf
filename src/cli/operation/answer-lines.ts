import { instant } from "../../timeline/instant.ts";
import { clip, count } from "../../timeline/text.ts";
import { iso } from "../../world/duration.ts";
import { columns, fields, paint } from "../output.ts";
import type { Act } from "./acts.ts";

/** Longer strings are truncated. For lists of names that would take more room, only the length is shown. */
const LONGEST_TEXT = 60;
const MOST_NAMES = 3;

type Row = Readonly<Record<string, unknown>>;

/** Prints the fields of a response that has no view: a list as a table, otherwise one line per field. */
export function answerLines(answer: Row, { shows, empty = "There are none." }: Act): string[] {
  const list = Object.values(answer).find(Array.isArray) as Row[] | undefined;
  const names = shows?.split(" ") ?? Object.keys(list?.[0] ?? answer);
  if (!list) {
    const rows = names.map((name) => [name, shown(name, answer[name])] as const);
    return fields(rows.filter(([, text]) => text !== ""));
  }
  if (list.length === 0) return [empty];
  const filled = names.filter((name) => list.some((row) => shown(name, row[name]) !== ""));
  const rows = list.map((row) => filled.map((name) => shown(name, row[name])));
  const left = Number(answer.total_count ?? 0) - list.length;
  return [
    ...columns([filled.map((name) => ({ text: name, color: paint.dim })), ...rows]),
    ...(left > 0 ? [paint.dim(`and ${count(left, "more", "more")}; --limit prints them`)] : []),
  ];
}

/** Formats a value for a table cell. Timestamps are recognized by the field's name; objects are shown without ids. */
function shown(name: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (/(?:_at|At)$/.test(name)) return instant(typeof value === "number" ? iso(value) : String(value));
  if (Array.isArray(value)) {
    const listed = typeof value[0] === "string" ? value.slice(0, MOST_NAMES) : value;
    const left = value.length - listed.length;
    return listed.map((item) => shown("", item)).join(", ") + (left > 0 ? ` and ${left} more` : "");
  }
  if (typeof value === "object")
    return Object.entries(value)
      .filter(([field]) => !field.endsWith("_id"))
      .map(([field, part]) => `${field} ${shown(field, part)}`)
      .join(" ");
  return clip(String(value), LONGEST_TEXT);
}
