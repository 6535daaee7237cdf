import { misuse } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { type Credentials, partIn } from "./database-variable.ts";
import type { Dialect } from "./dialect.ts";
import type { ConnectOptions, DatabaseKind } from "./kind.ts";
import { KINDS } from "./kinds.ts";

const kindAt = (source: string): DatabaseKind | undefined => KINDS.find((kind) => kind.isAt(source));

export const isTables = (state: string): boolean => kindAt(state) !== undefined;

/**
 * Converts a database address in any format that a project's own code may use to a state source.
 * @param variables the names of variables that may contain the user and password, which JDBC's and PHP's formats leave
 * out
 * @returns other text unchanged
 */
export function stateSource(text: string, variables: readonly string[] = []): string {
  const settingOf = (part: keyof Credentials) =>
    process.env[variables.find((name) => partIn(name) === part) ?? ""];
  const credentials = { user: settingOf("user"), password: settingOf("password") };
  return KINDS.map((kind) => kind.sourceOf(text, credentials)).find((one) => one !== undefined) ?? text;
}

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
