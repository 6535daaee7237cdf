import type { Settings } from "../config/config.ts";
import type { SubjectSettings } from "../config/subject.ts";
import { misuse } from "../errors/errors.ts";
import type { Known } from "../senders/known.ts";

/** The names in a comma-separated text; undefined if there is no text. */
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
        `${flag} expects a name and a value, not '${text.slice(0, 60)}'.`,
        `For example: ${flag} ${example}`,
      );
    const name = text.slice(0, at).trim();
    if (values.has(name)) throw misuse(`${flag} sets '${name.slice(0, 60)}' twice.`, "Omit one of them.");
    values.set(name, sign === ":" ? text.slice(at + 1).trim() : text.slice(at + 1));
  }
  return Object.fromEntries(values);
}

/**
 * Merges `--known customer=cus_123` into the configured values. A name that is given several times has several values.
 * @throws SandboxError `bad_request`
 */
export function readKnown(texts: readonly string[] = [], configured: Known = {}): Known {
  const given = new Map<string, string[]>();
  for (const text of texts) {
    const [[name, value]] = Object.entries(readNamedValues("--known", [text], "customer=cus_123")) as [
      [string, string],
    ];
    given.set(name, [...(given.get(name) ?? []), value]);
  }
  return { ...configured, ...Object.fromEntries(given) };
}

/**
 * Adds `--known` values to the settings, for the sender that calls the server under test, or for the only sender.
 * @throws SandboxError `bad_request`
 */
export function settingsKnowing(settings: Settings, texts: readonly string[] | undefined): Settings {
  if (texts === undefined) return settings;
  const { subject, senders } = settings;
  if (subject.sender === undefined && senders.length !== 1)
    throw misuse("--known needs a sender.", "For example: --sender stripe.");
  const known = readKnown(texts, subject.known) as SubjectSettings["known"];
  return { ...settings, subject: { ...subject, known } };
}
