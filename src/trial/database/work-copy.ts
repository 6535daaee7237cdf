import type { Fingerprints, TrialRecord } from "./record.ts";
import { notPutBack, restoreCommand, tellUser, type WorkCopy } from "./tables.ts";

/** A user's database and the server's copy, for one kind of database. */
export interface WorkedOn extends Pick<WorkCopy, "source" | "record" | "valueFor"> {
  /** The user's database, for messages and for `--state`; and where its copy is. */
  shown: string;
  original: string;
  place: string;
  /** The fingerprints of a database; empty if it does not exist. */
  fingerprints(source: string): Promise<Fingerprints>;
  /** The connections of other programs to the user's database, as far as they can be seen. */
  connections(): Promise<readonly number[]>;
  putBack(): Promise<void>;
  remove(): void | Promise<void>;
}

/** The tables in which two fingerprints of a database differ. */
export const unlikeTables = (one: Fingerprints, other: Fingerprints): string[] =>
  Object.keys({ ...one, ...other }).filter((name) => one[name] !== other[name]);

/** Keeps the copy for the user. */
const keep = (record: TrialRecord): void => record.note({ pid: 0, isKept: true });

/** Copies a database, and records the user's original before the server starts. */
export async function createWorkCopy(worked: WorkedOn): Promise<WorkCopy> {
  const { source, record, valueFor, shown, original, place } = worked;
  const rows = await worked.fingerprints(original);
  record.note({ rows });
  const copied = await worked.fingerprints(source);
  const connected = await worked.connections();
  const isUnlike = async (of: string, before: Fingerprints): Promise<boolean> =>
    unlikeTables(before, await worked.fingerprints(of)).length > 0;
  const isChanged = () => isUnlike(original, rows);
  return {
    ...{ source, record, valueFor },
    isBypassed: async () => (await isChanged()) && !(await isUnlike(source, copied)),
    async isConnectedTo(restart) {
      const began = (await worked.connections()).filter((one) => !connected.includes(one));
      if (began.length === 0) return false;
      await restart();
      const left = await worked.connections();
      return began.some((one) => !left.includes(one));
    },
    confirm: () => record.note({ isSafe: true }),
    async restore() {
      await worked.putBack().catch((error: Error) => {
        keep(record);
        throw notPutBack(shown, error.message, place, original);
      });
      record.note({ isSafe: true });
    },
    async close() {
      if (record.noted.isSafe || !(await isChanged())) return worked.remove();
      keep(record);
      tellUser(
        `${shown} was changed while the trial began, by your server or by another program. It stays as it is; the copy of before is ${place}. To put it back as a whole: ${restoreCommand(original)}`,
      );
    },
  };
}
