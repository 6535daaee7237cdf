import { notFound } from "../../errors/errors.ts";
import type { Copy, Dialect } from "./dialect.ts";
import { Ledger, type OwnOf } from "./ledger.ts";
import { recordsOf, type TrialRecord } from "./record.ts";
import { listed, recovered, tellUser } from "./tables.ts";
import { unlikeTables } from "./work-copy.ts";

/** Returns a function for the columns of a table whose values differ in each run, as far as the trial knows. */
export const ownIn =
  ({ copy }: Ledger): OwnOf =>
  ({ name }) =>
    copy.record.noted.own[name] ?? [];

/** Restores the rows that are still as the trial left them. @returns the rows that stay */
export function settle(ledger: Ledger, inDelivery: boolean): Promise<string[]> {
  const { copy } = ledger;
  return copy.write(async () => {
    await ledger.settle(ownIn(ledger), inDelivery);
    const left = await ledger.left();
    await copy.setNumbers(left.length > 0 || copy.record.noted.hasOthers);
    return left;
  });
}

/** Restores the rows of a killed trial, and removes what it created. */
export async function recover(dialect: Dialect): Promise<void> {
  const { name, shown, source } = dialect;
  for (const record of recordsOf(name, shown).abandoned) {
    if (record.noted.onCopy) {
      await recoverWork(dialect, record);
      continue;
    }
    const copy = record.noted.isSafe ? undefined : await dialect.findCopy(record);
    if (!copy) {
      record.remove();
      continue;
    }
    const ledger = new Ledger(copy);
    const changedNow = async () => (await ledger.changed()).flatMap((one) => (one.isInner ? [] : one.name));
    const before = await changedNow();
    await settle(ledger, record.noted.inDelivery);
    // Rows that no further run has left may be another program's.
    if (record.noted.isDoubtful) {
      for (const one of await ledger.with("aside", await copy.tables()))
        await copy.write(() => ledger.giveAside(one));
      await copy.setNumbers(true);
    }
    const left = await ledger.left();
    const changed = [...new Set([...before, ...(await changedNow())])];
    if (left.length === 0) {
      await copy.drop();
      record.remove();
    } else {
      await copy.leave();
      record.note({ isKept: true });
    }
    const words = recovered(shown, changed, left, dialect.placeOf(record), source);
    if (words) tellUser(words);
  }
}

/** Removes the copy that a killed trial's server worked on, unless the user's database was changed. */
async function recoverWork(
  { fingerprints, shown, source, work, placeOf }: Dialect,
  record: TrialRecord,
): Promise<void> {
  const { isSafe, rows } = record.noted;
  const changed = isSafe || rows === null ? [] : unlikeTables(rows, await fingerprints());
  if (changed.length > 0) {
    record.note({ isKept: true });
    return tellUser(recovered(shown, changed, changed, placeOf(record), source)!);
  }
  await work?.remove(record);
  record.remove();
}

/** Restores all rows of a copy. @returns the tables with restored rows */
export function restoreAll(copy: Copy): Promise<string[]> {
  const ledger = new Ledger(copy);
  return copy.write(async () => {
    const changed = await ledger.changed();
    for (const one of changed) await ledger.restore(one);
    await copy.setNumbers(false);
    return changed.flatMap(({ name, isInner }) => (isInner ? [] : name));
  });
}

/** Restores all rows from the copy of an earlier trial, and closes the connection. @returns a sentence about the result */
export async function restore(dialect: Dialect): Promise<string> {
  const { name, shown } = dialect;
  const again = `${shown} has the rows of before again`;
  try {
    return await dialect.inTurn(async () => {
      const { kept, abandoned } = recordsOf(name, shown);
      for (const record of [...kept, ...abandoned]) {
        if (record.noted.onCopy && dialect.work) {
          if (await dialect.work.restore(record)) return `${again}.`;
          continue;
        }
        const copy = await dialect.findCopy(record);
        if (!copy) continue;
        const changed = await restoreAll(copy);
        const unlike = (await copy.unlike()).map((one) => one.name);
        await (unlike.length === 0 ? copy.drop() : copy.leave());
        if (unlike.length === 0) record.remove();
        const stays = `These tables were made or altered meanwhile, and stay as they are: ${listed(unlike)}. The copy is ${dialect.placeOf(record)}.`;
        return `${again}, in ${listed(changed) || "all tables"}.${unlike.length > 0 ? ` ${stays}` : ""}`;
      }
      throw notFound(
        `There is no copy of ${shown} from an earlier trial.`,
        "A trial leaves one only if it could not put all rows back.",
      );
    });
  } finally {
    await dialect.end();
  }
}
