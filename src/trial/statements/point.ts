import { type SqlForm, withoutLiterals } from "./sql-form.ts";

/** What answers a statement. Calls of services, and of stores behind an API of HTTP, count as statements, too. */
export const ANSWERING = ["postgres", "mysql", "sqlite", "api", "store"] as const;
export type Answering = (typeof ANSWERING)[number];
/** A database that is reached over a connection. */
export type Remote = Exclude<Answering, "sqlite" | "api" | "store">;

/** Whether a statement is answered by a process of its own, beyond a connection that may be lost. */
export const isServed = (of: Answering): boolean => of === "postgres" || of === "mysql";
/** Whether it is a call over HTTP. */
export const isCall = (of: Answering): boolean => of === "api" || of === "store";

/** A point in a handler: before one round trip to its database, or before the commit of a statement's own transaction. */
export interface StatementPoint {
  /** The number of the statement within its delivery, from 1. */
  number: number;
  /** The statement's text, with `?` for each literal. */
  text: string;
  /** The number of the statement among those with the same text, from 1. */
  occurrence: number;
  /** Whether the point comes after the statement, before its own commit. */
  atCommit?: true;
}

/** The characters of a statement's text. */
export const MOST_TEXT = 480;
/** A statement without the parts that differ between runs: literals, comments and spaces. */
export const plainStatement = (sql: string, form?: SqlForm): string =>
  withoutLiterals(sql, form)
    .slice(0, MOST_TEXT)
    // Names in quotes may have invisible characters, which the file of a finding may not.
    .replace(/\p{C}/gu, "·");

export const isBegin = (text: string): boolean => /^(?:begin|start transaction)\b/i.test(text);
/** Whether a statement ends a transaction and keeps its changes. */
export const isCommit = (text: string): boolean => /^(?:commit|end)\b/i.test(text);
export const isRollback = (text: string): boolean => /^(?:rollback|abort)\b/i.test(text);
/** Whether a statement only controls the transaction: all handlers have such statements. */
export const isControl = (text: string): boolean =>
  isBegin(text) || isCommit(text) || isRollback(text) || /^(?:savepoint|release)\b/i.test(text);

const WRITES =
  /\b(?:insert (?:ignore )?into|replace into|(?<!\b(?:for|key|do) )update|delete (?:ignore )?from|merge into)\b/i;
const READS = /\b(?:select\b|merge into\b|update\b.*\bset\b.*\bfrom\b|delete from\b.*\busing\b)/i;

export const hasWrites = (text: string): boolean => WRITES.test(text);
export const hasReads = (text: string): boolean => READS.test(text);

/** Whether two points are at the same statement. */
export const isSamePoint = (one: StatementPoint, other: StatementPoint): boolean =>
  one.text === other.text && one.occurrence === other.occurrence;
