import { stateSource } from "../../trial/database/source.ts";
import { type Part, type ServerKind, usualOf } from "./database-kinds.ts";
import type { Source } from "./sources.ts";
import { settingOf, type Variable } from "./variables.ts";

/** Variables that hold the parts of a database's address, and their default values. */
export type Parts = Partial<Record<Part, { name: string; fallback: string }>>;

const PARTS: readonly (readonly [Part, RegExp])[] = [
  ["host", /HOST|SERVER/],
  ["port", /PORT$/],
  ["user", /USER(?:NAME)?$/],
  ["password", /PASS(?:WORD|WD)?$|PWD$/],
  ["database", /NAME$|DATABASE$|_DB$/],
];
const OF_PARTS =
  /^(?!.*(?:REDIS|MONGO|SMTP|MAIL|ADMIN|TEST))(?:\w*_)?(?:DB|DATABASE|POSTGRES(?:QL)?|PG|MYSQL|MARIADB|SQL)_?(?:HOST\w*|SERVER|PORT|USER(?:NAME)?|PASS(?:WORD|WD)?|PWD|NAME|DATABASE|DB)$/;

export function partsOf(variables: readonly Variable[], kind: ServerKind): Parts | undefined {
  const parts = partsIn(variables, kind);
  return parts.database && (parts.host || parts.user) ? parts : undefined;
}

export function partsIn(variables: readonly Variable[], kind: ServerKind): Parts {
  const all = variables.filter(({ value }) => OF_PARTS.test(value));
  const parts: Parts = {};
  for (const [part, pattern] of PARTS) {
    const hits = all.filter(
      ({ value }) => pattern.test(value) && PARTS.find(([, one]) => one.test(value))![0] === part,
    );
    const hit = hits.find(({ fallback }) => fallback !== undefined) ?? hits[0];
    if (hit) parts[part] = { name: hit.value, fallback: literal(hit.fallback) ?? usualOf(kind)[part] };
  }
  return parts;
}

const literal = (text: string | undefined): string | undefined =>
  text !== undefined && /^[\w.@-]+$/.test(text) && !/^(?:None|null|undefined|process|os)/.test(text)
    ? text
    : undefined;

/** Whether a database address names its user, as all formats but JDBC's and PHP's usually do. */
export function hasUser(address: string | undefined): boolean {
  const source = address === undefined ? "" : stateSource(address);
  return source === address || !URL.canParse(source) || new URL(source).username !== "";
}

/**
 * Replaces the code's own defaults with those in an example env file. The actual password on this machine is never
 * read.
 */
export const withValues = (parts: Parts, sources: readonly Source[]): Parts =>
  Object.fromEntries(
    Object.entries(parts).map(([part, one]) => {
      const set = settingOf(one.name, sources);
      return [part, set?.isExample ? { ...one, fallback: set.value } : one];
    }),
  );
