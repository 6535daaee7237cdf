import { isCommit } from "./point.ts";
import type { Statement } from "./statements.ts";

const TABLE = /\b(?:from|into|update)\s+(?:only\s+)?((?:"[^"]+"|[\w$]+)(?:\.(?:"[^"]+"|[\w$]+))*)/i;
const COLUMN = /\bwhere\s+\(*(?:(?:"[^"]+"|\w+)\.)*("[^"]+"|\w+)\s*=/i;
const FIRST_COLUMN = /\binto\s+[^(]*\(\s*("[^"]+"|\w+)/i;

const isLook = ({ text }: Statement): boolean =>
  /^select\b/i.test(text) && !/\bfor (?:no key )?update\b/i.test(text);
const isWrite = ({ text }: Statement): boolean => /^(?:insert|update|delete)\b/i.test(text);
const bare = (name: string): string => name.replaceAll('"', "").replace(/^public\./, "");
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
    const column = COLUMN.exec(look.text)?.[1] ?? FIRST_COLUMN.exec(one.text)?.[1];
    const index = column === undefined ? table : `${table}(${bare(column)})`;
    return `Both deliveries looked before either inserted: a unique index on ${index} would refuse the second.`;
  }
  return undefined;
}
