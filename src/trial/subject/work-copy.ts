import type { Fingerprints, TrialRecord } from "./record.ts";
import { notPutBack, restoreCommand, type WorkCopy } from "./tables.ts";

/** A user's database with a copy for the server, as one kind of database has them. */
export interface WorkedOn extends Pick<WorkCopy, "source" | "record" | "valueFor"> {
  /** The user's database, for a person and as `--state` takes it; and where its copy is. */
  shown: string;
  original: string;
  place: string;
  tell: (message: string) => void;
  /** What a database has; nothing where it is not there. */
  fingerprints(source: string): Promise<Fingerprints>;
  putBack(): Promise<void>;
  remove(): void | Promise<void>;
}

/** The tables that two states of a database do not have alike. */
export const unlikeTables = (one: Fingerprints, other: Fingerprints): string[] =>
  Object.keys({ ...one, ...other }).filter((name) => one[name] !== other[name]);

/** Leaves the copy for the user. */
const keep = (record: TrialRecord): void => record.note({ pid: 0, isKept: true });

/** Takes note of what the user's database has before the server starts. */
export async function createWorkCopy(worked: WorkedOn): Promise<WorkCopy> {
  const { source, record, valueFor, shown, original, place, tell } = worked;
  const rows = await worked.fingerprints(original);
  record.note({ rows });
  const copied = await worked.fingerprints(source);
  const isUnlike = async (of: string, before: Fingerprints): Promise<boolean> =>
    unlikeTables(before, await worked.fingerprints(of)).length > 0;
  const isChanged = () => isUnlike(original, rows);
  return {
    ...{ source, record, valueFor },
    wentRound: async () => (await isChanged()) && !(await isUnlike(source, copied)),
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
      tell(
        `${shown} was changed while the trial began, by your server or by another program. It stays as it is; the copy of before is ${place}. To put it back as a whole: ${restoreCommand(original)}`,
      );
    },
  };
}
