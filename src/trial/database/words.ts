import { invalidState, type SandboxError } from "../../errors/errors.ts";
import { withoutPasswords } from "../../runtime/redact.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { isChosen, type RestoreOptions } from "./dialect.ts";
import { MOST_ROWS } from "./limits.ts";

const MOST_LISTED = 20;
export const listed = (all: readonly string[]): string =>
  all.slice(0, MOST_LISTED).join(", ") +
  (all.length > MOST_LISTED ? ` and ${all.length - MOST_LISTED} more` : "");

export const tellUser = (message: string): void => void process.stderr.write(`sandglass: ${message}\n`);

/** A database and its copy, as described in errors. */
export interface Kept {
  shown: string;
  source: string;
  place: string;
}

/** The hint for a copy that only the user can decide about. */
export function waysOut({ source, place }: Kept): string {
  const command = (flag: string) =>
    `npx sandglass explore ${flag} --state ${shellArgument(withoutPasswords(source))}`;
  return `The backup from the start of the trial is ${place}. Restore it: ${command("--restore")}. Or leave everything as it is now, and remove the backup: ${command("--keep")}`;
}

export const changedByOthers = (kept: Kept, tables: readonly string[]): SandboxError =>
  invalidState(
    `Another program changed ${listed(tables)} in ${kept.shown} during the trial, or your server did between requests. The trial has stopped, and nothing was restored.`,
    `Stop other programs that write to it, or use --start, so your server works on a copy. ${waysOut(kept)}`,
  );

export const changedOnce = (kept: Kept, tables: readonly string[]): SandboxError =>
  invalidState(
    `${listed(tables)} in ${kept.shown} changed once, but not when the same requests were repeated: either another program changed the rows, or your server remembers what it has handled. The trial has stopped, and nothing was restored.`,
    `Stop other programs that write to it, or use --start, so your server works on a copy. ${waysOut(kept)}`,
  );

/** The error if tables have changed since their trial was killed. */
export const changedSince = (kept: Kept, tables: readonly string[]): SandboxError =>
  invalidState(
    `An earlier trial on ${kept.shown} was interrupted, and these tables have changed since: ${listed(tables)}.`,
    waysOut(kept),
  );

export const notRestored = (kept: Kept, reason: string): SandboxError =>
  invalidState(
    `The rows in ${kept.shown} were NOT restored: ${reason.replace(/\.$/, "")}. They are still in the state that the last schedule left.`,
    `Let other programs end their transactions. The next command that uses the database then restores them. ${waysOut(kept)}`,
  );

/** A table in a copy. */
export interface Copied {
  number: number;
  name: string;
  form: string;
}

/** Throws if a chosen table was altered or dropped since it was copied. */
export function expectForms(
  copied: readonly Copied[],
  tables: readonly Pick<Copied, "name" | "form">[],
  options: RestoreOptions,
  { shown, place }: Pick<Kept, "shown" | "place">,
): void {
  const isSame = ({ name, form }: Copied) => tables.some((one) => one.name === name && one.form === form);
  const wrong = copied.filter((one) => isChosen(options, one.name) && !isSame(one)).map(({ name }) => name);
  if (wrong.length > 0)
    throw invalidState(
      `These tables in ${shown} were altered or dropped during the trial, so their rows cannot be restored: ${listed(wrong)}. The backup is ${place}.`,
      "Restore the tables' earlier columns, and run migrations before a trial, not during one.",
    );
}

/** The error if the copy cannot be written. In that case, nothing has been changed. */
export const notCopied = (shown: string, place: string, reason: string): SandboxError =>
  invalidState(
    `Cannot write the backup of the rows in ${shown} to ${place}: ${reason}. Nothing was changed.`,
    "Free some space and give this user write access, or use --start, which works on a copy in a different place.",
  );

/** The error if another trial is in progress: each would undo the other's changes. */
export const heldByOther = (shown: string): SandboxError =>
  invalidState(
    `Another Sandglass trial is using ${shown}.`,
    "Wait until that trial ends, or use another database. With --start, each trial has its own copy.",
  );

export const tooManyRows = (database: string, table: string): SandboxError =>
  invalidState(
    `The database ${database} has more than ${MOST_ROWS} rows, many of them in ${table}.`,
    "Use a smaller test database, or set subject.tables in the configuration to the tables that events change.",
  );
