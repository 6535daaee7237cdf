import { isCall, isCommit, MOST_TEXT } from "./point.ts";
import type { Statement } from "./statements.ts";

const READS =
  /^(?:select|with|values|table|show|set|reset|begin|start transaction|rollback|abort|savepoint|listen)\b/i;
const LOCKS = /\bfor (?:no key )?update\b/gi;
const WRITES = /\b(?:insert|update|delete|merge|replace|into|nextval|setval)\b/i;
/** Words that may precede a parenthesis in SQL without calling a user-defined function, which may write. */
const HARMLESS =
  /^(?:select|where|and|or|not|on|in|any|all|some|exists|as|from|join|lateral|values|over|filter|by|having|when|then|else|case|using|with|union|except|intersect|distinct|limit|offset|count|sum|min|max|avg|coalesce|nullif|greatest|least|lower|upper|trim|length|abs|round|cast|extract|now|date_trunc|row_number|hashtext|hashtextextended|(?:jsonb?|array|string|row|to)_\w+|row|pg_(?:try_)?advisory_\w+)$/i;

const callsUnknown = (text: string): boolean =>
  [...text.matchAll(/("[^"]+"|[\w$]+)\s*\(/g)].some(([, name]) => !HARMLESS.test(name!));

/**
 * Whether a statement or call may leave a change if its process is killed right after it: a commit, a write outside a
 * transaction, or a call that writes. If in doubt, the answer is yes.
 */
export function canLast({
  of,
  text,
  inTransaction,
  hasOwnCommit,
}: Pick<Statement, "of" | "text" | "inTransaction" | "hasOwnCommit">): boolean {
  if (isCall(of)) return !/^(?:get|head|options) /i.test(text);
  // Any of several statements in one string may commit.
  if (text.includes(";")) return true;
  if (inTransaction) return isCommit(text) || /^prepare transaction\b/i.test(text);
  if (hasOwnCommit || !READS.test(text) || text.length >= MOST_TEXT) return true;
  return WRITES.test(text.replaceAll(LOCKS, "")) || callsUnknown(text);
}
