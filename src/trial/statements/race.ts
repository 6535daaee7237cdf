import { isCommit, MOST_TEXT } from "./point.ts";
import type { Statement } from "./statements.ts";

const TABLE = /\b(?:from|into|update)\s+(?:only\s+)?((?:"[^"]+"|[\w$]+)(?:\.(?:"[^"]+"|[\w$]+))*)/i;
const CONDITIONS = /\bwhere\b(.*?)(?:\b(?:order by|limit|offset|fetch|for)\b.*)?$/i;
const VALUE = String.raw`(?:\?|\$\d+)(?:::\w+)?`;
const EQUALITY = new RegExp(String.raw`^(?:(?:"[^"]+"|\w+)\.)*("[^"]+"|[a-z_]\w*)\s*=\s*${VALUE}$`, "i");
/** What Prisma adds: `1=1`. */
const ALWAYS = /^\?\s*=\s*\?$/;

const isLook = ({ text }: Statement): boolean =>
  /^select\b/i.test(text) && !/\bfor (?:no key )?update\b/i.test(text);
const isWrite = ({ text }: Statement): boolean => /^(?:insert|update|delete)\b/i.test(text);
const bare = (name: string): string => name.replaceAll('"', "").replace(/^public\./, "");

/** The columns by which a statement looks up a row; undefined if it looks for anything else than one value of each. */
function columnsOf({ text }: Statement): string[] | undefined {
  const [, written] = CONDITIONS.exec(text) ?? [];
  if (written === undefined || /\bjoin\b/i.test(text) || text.length >= MOST_TEXT) return undefined;
  const conditions = written.split(/\band\b/i).map((one) => one.replaceAll(/^[\s(]+|[\s)]+$/g, ""));
  const columns = conditions.filter((one) => !ALWAYS.test(one)).map((one) => EQUALITY.exec(one)?.[1]);
  return columns.includes(undefined) ? undefined : columns.map((one) => bare(one!));
}

const tableIn = ({ text }: Statement): string => bare(TABLE.exec(text)?.[1] ?? "");

/**
 * Describes in a sentence how two concurrent requests affected each other.
 * @param statements of both, in the order in which the database received them
 * @returns undefined unless both read a table before either had written it
 */
export function raceWords(statements: readonly Statement[]): string | undefined {
  /** When other transactions see a change: once the change's transaction has ended. */
  const seenAt = (write: Statement): number =>
    write.inTransaction
      ? (statements.find(({ by, order, text }) => by === write.by && order > write.order && isCommit(text))
          ?.order ?? Number.POSITIVE_INFINITY)
      : write.order;
  /** The first statement in which a request reads a table that it writes later. */
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
    const columns = columnsOf(look) ?? [];
    const index = columns.length === 0 ? "" : ` on ${table}(${columns.join(", ")})`;
    return `Both deliveries looked before either inserted: a unique index${index} would refuse the second.`;
  }
  return undefined;
}
