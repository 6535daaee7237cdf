import { isCommit, MOST_TEXT } from "./point.ts";
import type { Statement } from "./statements.ts";

const NAME = String.raw`((?:"[^"]+"|[\w$]+)(?:\.(?:"[^"]+"|[\w$]+))*)`;
const TABLE = new RegExp(String.raw`\b(?:from|into|update)\s+(?:only\s+)?${NAME}`, "i");
const WRITTEN = new RegExp(
  String.raw`\b(insert into|(?<!(?:for|key|do) )update|delete from|merge into) (?:only )?${NAME}`,
  "gi",
);
const READ = new RegExp(String.raw`(?<!\bdelete )\b(?:from|join|using) (?:only )?${NAME}`, "gi");
const CONDITIONS = /\bwhere\b(.*?)(?:\b(?:order by|limit|offset|fetch|for)\b.*)?$/i;
const VALUE = String.raw`(?:\?|\$\d+)(?:::\w+)?`;
const EQUALITY = new RegExp(String.raw`^(?:(?:"[^"]+"|\w+)\.)*("[^"]+"|[a-z_]\w*)\s*=\s*${VALUE}$`, "i");
/** Prisma adds the condition `1=1`. */
const ALWAYS = /^\?\s*=\s*\?$/;

const isLook = ({ text }: Statement): boolean =>
  /^select\b/i.test(text) && !/\bfor (?:no key )?update\b/i.test(text);
const isWrite = ({ text }: Statement): boolean => /^(?:insert|update|delete)\b/i.test(text);
const bare = (name: string): string => name.replaceAll('"', "").replace(/^public\./, "");

/** The columns by which a statement looks up a row; undefined unless it compares each column with a single value. */
function columnsOf({ text }: Pick<Statement, "text">): string[] | undefined {
  const [, written] = CONDITIONS.exec(text) ?? [];
  if (written === undefined || /\bjoin\b/i.test(text) || text.length >= MOST_TEXT) return undefined;
  const conditions = written.split(/\band\b/i).map((one) => one.replaceAll(/^[\s(]+|[\s)]+$/g, ""));
  const columns = conditions.filter((one) => !ALWAYS.test(one)).map((one) => EQUALITY.exec(one)?.[1]);
  return columns.includes(undefined) ? undefined : columns.map((one) => bare(one!));
}

const tableIn = ({ text }: Statement): string => bare(TABLE.exec(text)?.[1] ?? "");

/** The text up to the parenthesis that closes one opened before the text. */
function upToClosing(text: string): string {
  let depth = 0;
  const end = [...text].findIndex((one) => {
    depth += one === "(" ? 1 : one === ")" ? -1 : 0;
    return depth < 0;
  });
  return end < 0 ? text : text.slice(0, end);
}

/** The table that a statement reads and then writes, how it writes, and what it reads. */
function readBeforeWritten({ text }: Statement): { table: string; verb: string; look: string } | undefined {
  for (const [, verb, name] of text.matchAll(WRITTEN))
    for (const { index, 1: read } of text.matchAll(READ))
      if (bare(read!) === bare(name!))
        return { table: bare(name!), verb: verb!.toLowerCase(), look: upToClosing(text.slice(index)) };
  return undefined;
}

const indexWords = (table: string, columns: readonly string[] = []): string =>
  `a unique index${columns.length === 0 ? "" : ` on ${table}(${columns.join(", ")})`} would refuse the second`;

/**
 * Describes a race in which a statement waited before its own commit; undefined if the other request did not touch the
 * statement's table.
 */
function ownCommitWords(waited: Statement, statements: readonly Statement[]): string | undefined {
  const own = readBeforeWritten(waited);
  const isByOther = ({ by, text, result }: Statement): boolean =>
    by !== waited.by &&
    / [1-9]\d*$/.test(result ?? "") &&
    [...text.matchAll(WRITTEN)].some(([, , name]) => bare(name!) === own?.table);
  if (!own || !statements.some(isByOther)) return undefined;
  const { table, verb, look } = own;
  if (verb !== "insert into")
    return `Both deliveries read ${table} before either had committed its change, so the later change undoes the earlier: one statement that reads and writes locks nothing while it reads. Compute the value from the row that it changes, or lock the row with select … for update.`;
  const columns = waited.text.length >= MOST_TEXT ? [] : columnsOf({ text: look });
  return `Both deliveries checked before either had committed, because one statement that checks and inserts locks nothing: ${indexWords(table, columns)}.`;
}

/**
 * Describes in a sentence how two concurrent requests affected each other.
 * @param statements the statements of both requests, in the order the database received them
 * @returns undefined unless both read a table before either wrote to it
 */
export function raceWords(statements: readonly Statement[]): string | undefined {
  const waited = statements.find(({ met }) => met === "hold-commit");
  if (waited) return ownCommitWords(waited, statements);
  /** When other transactions can see a change: once its transaction has ended. */
  const seenAt = (write: Statement): number =>
    write.inTransaction
      ? (statements.find(({ by, order, text }) => by === write.by && order > write.order && isCommit(text))
          ?.order ?? Number.POSITIVE_INFINITY)
      : write.order;
  /** The first statement with which a request reads a table that it writes later. */
  const lookOf = (write: Statement): Statement | undefined =>
    statements.find(
      (each) =>
        each.by === write.by && isLook(each) && tableIn(each) === tableIn(write) && each.order < write.order,
    );
  const writes = statements.filter((one) => isWrite(one) && lookOf(one));
  for (const one of writes) {
    const table = tableIn(one);
    const other = writes.find((write) => write.by !== one.by && tableIn(write) === table);
    const look = lookOf(one)!;
    if (!other || look.order > seenAt(other) || lookOf(other)!.order > seenAt(one)) continue;
    if (!/^insert/i.test(one.text))
      return `Both deliveries read ${table} before either changed it, so the later change undoes the earlier: change it in one statement, or lock the row with select … for update.`;
    return `Both deliveries checked before either inserted: ${indexWords(table, columnsOf(look))}.`;
  }
  return undefined;
}
