import { misuse } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import type { Dialect } from "./dialect.ts";
import type { ConnectOptions, DatabaseKind } from "./kind.ts";
import { KINDS } from "./kinds.ts";

const kindAt = (source: string): DatabaseKind | undefined => KINDS.find((kind) => kind.isAt(source));

export const isTables = (state: string): boolean => kindAt(state) !== undefined;

export const kindOf = (source: string): DatabaseKind => kindAt(source)!;

/** Connects to a database with its shelf. @throws SandboxError `not_found`, `bad_request`, `unreachable` */
export const connect = (source: string, options: ConnectOptions = {}): Promise<Dialect> =>
  kindOf(source).connect(source, options);

/**
 * Rejects using a database in place unless the library's caller has requested it.
 * @throws SandboxError `bad_request`
 */
export function checkInPlace(state: string, inPlace: unknown): void {
  if (inPlace === true) return;
  throw misuse(
    `${withoutPasswords(state)} would be used in place: after each schedule and at the end, its tables are restored to their current contents.`,
    "If nothing else writes to it, add inPlace: true. Otherwise, use a copy of the database.",
    "inPlace",
  );
}
