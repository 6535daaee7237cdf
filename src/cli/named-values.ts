import { misuse } from "../errors/errors.ts";

/** The names in a comma-separated text; undefined without a text. */
export const namesIn = (text: string | undefined): string[] | undefined =>
  text?.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));

/**
 * Reads the values of a repeatable flag, each a name and a value: `--param failures=3`, `--header 'X-Tenant: acme'`.
 * @param example a valid value, from which the separator is taken
 * @throws SandboxError `bad_request`
 */
export function readNamedValues(
  flag: string,
  texts: readonly string[],
  example: string,
): Record<string, string> {
  const sign = example.includes("=") ? "=" : ":";
  const values = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf(sign);
    if (at < 1)
      throw misuse(
        `${flag} takes a name and a value, not '${text.slice(0, 60)}'.`,
        `For example ${flag} ${example}`,
      );
    const name = text.slice(0, at).trim();
    if (values.has(name))
      throw misuse(`${flag} sets '${name.slice(0, 60)}' twice.`, "Leave out one of them.");
    values.set(name, sign === ":" ? text.slice(at + 1).trim() : text.slice(at + 1));
  }
  return Object.fromEntries(values);
}
