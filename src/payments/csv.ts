/** The first line of a table as CSV. */
export const writeHeader = (columns: readonly string[]): string => `${columns.join(",")}\r\n`;

/** Rows as CSV, as RFC 4180 has it: CRLF after every line, quotes where a cell needs them. */
export function writeRows<Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, unknown>>[],
): string {
  return rows.map((row) => `${columns.map((column) => writeCell(row[column])).join(",")}\r\n`).join("");
}

/** How a cell begins that spreadsheets would calculate; payers choose what names and references say. */
const FORMULA = /^[=+\-@\t\r]/;

function writeCell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
