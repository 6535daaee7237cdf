import { existsSync } from "node:fs";
import { join } from "node:path";
import { SandboxError } from "../../errors/errors.ts";
import { recordsOf, refuseSecondTrial } from "./record.ts";
import { attach, COPY, changedTables, named, nameOf, openFile } from "./sqlite-copy.ts";
import { quoted } from "./sqlite-rows.ts";
import { listed, recovered } from "./tables.ts";

/** Puts back what a killed trial left. */
export function recoverSqlite(path: string, shown: string, tell: (message: string) => void): void {
  const records = recordsOf(nameOf(path));
  refuseSecondTrial(shown, records);
  for (const record of records.abandoned) {
    if (record.noted.isSafe || !existsSync(join(record.folder, COPY))) {
      record.remove();
      continue;
    }
    const db = openFile(path);
    try {
      const trial = attach(db, record);
      const {
        inDelivery,
        noted: { own },
      } = record;
      const [left, before] = trial.write(() => {
        const changed = changedTables(trial);
        return [
          trial.rows.flatMap((one) => {
            const keys = one.settle(inDelivery, (own[one.table.name] ?? []).map(quoted));
            return one.table.isInner ? [] : keys.map((key) => `${one.table.name} ${key}`);
          }),
          changed,
        ];
      });
      if (left.length === 0) record.remove();
      else record.note({ isKept: true });
      const words = recovered(shown, before, left, join(record.folder, COPY), `sqlite:${path}`);
      if (words) tell(words);
    } catch (error) {
      throw named(error, shown);
    } finally {
      db.close();
    }
  }
}

/** Puts back all rows that the copy of an earlier trial has. */
export function restoreSqlite(path: string): string {
  const records = existsSync(path)
    ? recordsOf(nameOf(path))
    : { abandoned: [], kept: [], running: undefined };
  refuseSecondTrial(path, records);
  const record = [...records.kept, ...records.abandoned].find(({ folder }) => existsSync(join(folder, COPY)));
  if (!record)
    throw new SandboxError(
      "not_found",
      `There is no copy of ${path} from an earlier trial.`,
      "Explore leaves one only if it could not put all rows back.",
    );
  const db = openFile(path);
  try {
    const trial = attach(db, record);
    const rows = trial.write(() => trial.rows.reduce((sum, one) => sum + one.restoreAll(), 0));
    const unlike = trial.unlike();
    db.close();
    if (unlike.length === 0) record.remove();
    return `${path} has the rows of before again: ${rows} ${rows === 1 ? "was" : "were"} put back.${unlike.length > 0 ? ` These tables were made or altered meanwhile, and stay as they are: ${listed(unlike)}. The copy is ${join(record.folder, COPY)}.` : ""}`;
  } catch (error) {
    if (db.open) db.close();
    throw named(error, path);
  }
}
