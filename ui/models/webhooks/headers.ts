import { ApiError } from "../../api.ts";

/** Headers as editable text, with one header per line. */
export const headersText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

/** @throws ApiError for the field `headers` if a line has no colon */
export function headersOf(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      const message = `"${line.trim()}" is not a header.`;
      throw new ApiError(400, { message, hint: "Use the form X-Tenant: acme.", param: "headers" });
    }),
  );
}
