import type { TrialRecord } from "./record.ts";
import { notPutBack, restoreCommand, type WorkCopy } from "./tables.ts";

/** A user's database with a copy for the server, as one kind of database has them. */
export interface WorkedOn extends Pick<WorkCopy, "source" | "record" | "valueFor"> {
  /** The user's database, for a person and as `--state` takes it; and where its copy is. */
  shown: string;
  original: string;
  place: string;
  tell: (message: string) => void;
  isChanged(): boolean | Promise<boolean>;
  isCopyChanged(): boolean | Promise<boolean>;
  putBack(): Promise<void>;
  remove(): void | Promise<void>;
}

/** Leaves the copy for the user. */
const keep = (record: TrialRecord): void => record.note({ pid: 0, isKept: true });

export function createWorkCopy(worked: WorkedOn): WorkCopy {
  const { source, record, valueFor, shown, original, place, tell } = worked;
  return {
    ...{ source, record, valueFor },
    wentRound: async () => (await worked.isChanged()) && !(await worked.isCopyChanged()),
    confirm: () => record.note({ isSafe: true }),
    async restore() {
      await worked.putBack().catch((error: Error) => {
        keep(record);
        throw notPutBack(shown, error.message, place, original);
      });
      record.note({ isSafe: true });
    },
    async close() {
      if (record.noted.isSafe || !(await worked.isChanged())) return worked.remove();
      keep(record);
      tell(
        `${shown} was changed while the trial began, by your server or by another program. It stays as it is; the copy of before is ${place}. To put it back as a whole: ${restoreCommand(original)}`,
      );
    },
  };
}
