/** What answers a statement: a call of an API is one, too. */
export type Answering = "postgres" | "sqlite" | "api";

/** A point of a handler: a round trip to its database. */
export interface StatementPoint {
  /** Which statement of its delivery it is, from 1. */
  number: number;
  /** Its text, with `?` for each literal. */
  text: string;
  /** Which of the statements with this text it is, from 1. */
  occurrence: number;
}

const MOST_TEXT = 480;
/** Comments, literals, and names in quotes, which stay. */
const PARTS =
  /--[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"]|"")*"|\b[eE]'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|(?<![\w$.])\d+(?:\.\d+)?(?!\w)/g;

/** A statement without what differs from run to run: its literals, comments and spaces. */
export const plainStatement = (sql: string): string =>
  sql
    .replace(PARTS, (part) => (part[0] === '"' ? part : /^(?:--|\/\*)/.test(part) ? " " : "?"))
    .replace(/\s+/g, " ")
    .replace(/;\s*$/, "")
    .trim()
    .slice(0, MOST_TEXT);

/** Begins a transaction. */
export const isBegin = (text: string): boolean => /^(?:begin|start transaction)\b/i.test(text);
/** Ends it with its changes. */
export const isCommit = (text: string): boolean => /^(?:commit|end)\b/i.test(text);
/** Undoes its changes. */
export const isRollback = (text: string): boolean => /^(?:rollback|abort)\b/i.test(text);
/** Is about the transaction alone: every handler has the same. */
export const isControl = (text: string): boolean =>
  isBegin(text) || isCommit(text) || isRollback(text) || /^(?:savepoint|release)\b/i.test(text);

export const isSamePoint = (one: StatementPoint, other: StatementPoint): boolean =>
  one.text === other.text && one.occurrence === other.occurrence;
