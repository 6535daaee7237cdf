import { type SqlForm, withoutLiterals } from "./sql-form.ts";

/**
 * The kinds of systems that statements are sent to. Calls to services, and to stores behind an HTTP API, count as
 * statements, too.
 */
export const ANSWERING = ["postgres", "mysql", "sqlite", "api", "store"] as const;
export type Answering = (typeof ANSWERING)[number];
/** A database reached over a connection. */
export type Remote = Exclude<Answering, "sqlite" | "api" | "store">;

/** Whether a separate process handles the statement, over a connection that may be lost. */
export const isServed = (of: Answering): boolean => of === "postgres" || of === "mysql";
/** Whether the statement is an HTTP call. */
export const isCall = (of: Answering): boolean => of === "api" || of === "store";

/** A point in a handler: before one round trip to its database, or before the commit of a statement's own transaction. */
export interface StatementPoint {
  /** The number of the statement within its delivery, starting at 1. */
  number: number;
  /** The statement's text, with `?` for each literal. */
  text: string;
  /** The number of the statement among those with the same text, starting at 1. */
  occurrence: number;
  /** Whether the point comes after the statement, before its own commit. */
  atCommit?: true;
}

/** The maximum length of a statement's text. */
export const MOST_TEXT = 480;
/** A statement without the parts that differ between runs: literals, comments and whitespace. */
export const plainStatement = (sql: string, form?: SqlForm): string =>
  withoutLiterals(sql, form)
    .slice(0, MOST_TEXT)
    // Quoted names may contain invisible characters, which finding files must not contain.
    .replace(/\p{C}/gu, "·");

export const isBegin = (text: string): boolean => /^(?:begin|start transaction)\b/i.test(text);
/** Whether a statement ends a transaction and keeps its changes. */
export const isCommit = (text: string): boolean => /^(?:commit|end)\b/i.test(text);
export const isRollback = (text: string): boolean => /^(?:rollback|abort)\b/i.test(text);
/** Whether a statement only controls a transaction, and so says nothing about the handler that made it. */
export const isControl = (text: string): boolean =>
  isBegin(text) || isCommit(text) || isRollback(text) || /^(?:savepoint|release)\b/i.test(text);

/**
 * Whether a statement only frees what a driver prepared. Drivers send it on their own and may ignore an error, which
 * undoes the transaction around it, so a failure would say nothing about the handler.
 */
export const isCleanup = (text: string): boolean => /^(?:deallocate|discard)\b[^;]*;?$/i.test(text);

const WRITES =
  /\b(?:insert (?:ignore )?into|replace into|(?<!\b(?:for|key|do) )update|delete (?:ignore )?from|merge into)\b/i;
const READS = /\b(?:select\b|merge into\b|update\b.*\bset\b.*\bfrom\b|delete from\b.*\busing\b)/i;

export const hasWrites = (text: string): boolean => WRITES.test(text);
export const hasReads = (text: string): boolean => READS.test(text);

export const isSamePoint = (one: StatementPoint, other: StatementPoint): boolean =>
  one.text === other.text && one.occurrence === other.occurrence;
