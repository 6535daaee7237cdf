import { misuse } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";

const SQLITE = "sqlite:";
const POSTGRES = /^postgres(?:ql)?:/i;

export const isPostgres = (source: string): boolean => POSTGRES.test(source);
export const sqliteFile = (source: string): string => source.slice(SQLITE.length);

/** Whether a state source names the tables of a database. */
export const isTables = (state: string): boolean => state.startsWith(SQLITE) || POSTGRES.test(state);

/**
 * Refuses to use a database in place unless the library's caller has asked for it.
 * @throws SandboxError `bad_request`
 */
export function checkInPlace(state: string, inPlace: unknown): void {
  if (inPlace === true) return;
  throw misuse(
    `${withoutPasswords(state)} would be used in place: after each schedule, and at the end, its tables are set to what they are now.`,
    "If nothing else writes there, add inPlace: true. Or use a copy of the database.",
    "inPlace",
  );
}
