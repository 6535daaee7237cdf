import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { invalidState, type SandboxError } from "../../errors/errors.ts";
import { makePrivateFolder, writePrivateFile } from "../../runtime/private-files.ts";
import { userFolder } from "../../runtime/user-folder.ts";
import { wallNow } from "../../world/clock.ts";
import { beganAt } from "../subject/process.ts";

/** Fingerprints by table, which change with the table's rows and columns. */
export type Fingerprints = Record<string, string>;

/** What a trial records about a database before it changes anything, so that a later command can restore it. */
export interface Noted {
  /** The database's address without a password. */
  database: string;
  pid: number;
  began: string | null;
  /** Whether its server works on a copy, so that the database itself is only read. */
  onCopy: boolean;
  /** Whether the server was seen to use that copy, so that no change in the database can be the trial's. */
  isSafe: boolean;
  /** Whether a delivery is in progress, or was when the trial was killed. */
  inDelivery: boolean;
  /** Whether some rows could not be restored: the copy stays until the user has its contents. */
  isKept: boolean;
  /** Whether another program added rows meanwhile, which stay. */
  hasOthers: boolean;
  /** Whether rows put aside may be another program's, because no further run has shown it yet. */
  isDoubtful: boolean;
  databases: string[];
  /** The fingerprints before a server starts on a copy; null until then. */
  rows: Fingerprints | null;
  /** Columns whose values differ in each run, by table. */
  own: Record<string, string[]>;
}

export interface TrialRecord {
  /** The name of everything that the trial creates in a database, recognizably Sandglass's. */
  id: string;
  folder: string;
  noted: Noted;
  /** Changes the record, which is on disk when this returns. */
  note(change: Partial<Noted>): void;
  remove(): void;
}

export const PREFIX = "sandglass_trial_";
const FILE = "record.json";
const NAME = new RegExp(`^${PREFIX}`);
let made = 0;

const recordsFolder = (): string => join(userFolder("state"), "trials");

/**
 * Begins the record of a trial.
 * @param database without a password
 * @throws SandboxError `invalid_state` if the record cannot be written: without a copy, there is no trial
 */
export function createRecord(database: string, onCopy: boolean): TrialRecord {
  made += 1;
  const id = `${PREFIX}${process.pid}_${wallNow().toString(36)}_${made}`;
  const folder = join(recordsFolder(), id);
  try {
    makePrivateFolder(recordsFolder(), NAME);
    sweep();
    mkdirSync(folder, { mode: 0o700 });
    const record = recordOf(id, {
      ...{ database, pid: process.pid, began: beganAt(process.pid) ?? null, onCopy, rows: null },
      ...{
        isSafe: false,
        inDelivery: false,
        isKept: false,
        hasOthers: false,
        isDoubtful: true,
        databases: [],
        own: {},
      },
    });
    record.note({});
    return record;
  } catch (error) {
    throw notWritten(recordsFolder(), error);
  }
}

/** The error if a copy cannot be written. Nothing has been changed then. */
export const notWritten = (folder: string, error: unknown): SandboxError =>
  invalidState(
    `The copy that keeps your rows safe cannot be written to ${folder}: ${(error as Error).message}.`,
    "Nothing was changed. Make room there, or name another folder in XDG_STATE_HOME.",
  );

function recordOf(id: string, noted: Noted): TrialRecord {
  const folder = join(recordsFolder(), id);
  return {
    ...{ id, folder, noted },
    note(change) {
      Object.assign(noted, change);
      const part = join(folder, `${FILE}.part`);
      writePrivateFile(part, JSON.stringify(noted));
      renameSync(part, join(folder, FILE));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Removes the files of killed trials, unless they may contain rows that are missing from their database. */
function sweep(): void {
  const records = new Map(readRecords().map((one) => [one.id, one]));
  for (const id of readdirSync(recordsFolder())) {
    const record = records.get(id);
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)_`).exec(id)?.[1]);
    if (
      record
        ? record.noted.isSafe && record.noted.databases.length === 0 && !isRunning(record)
        : pid > 0 && beganAt(pid) === undefined
    )
      rmSync(join(recordsFolder(), id), { recursive: true, force: true });
  }
}

/** All records of this user, including those of running trials. */
function readRecords(): TrialRecord[] {
  const folder = recordsFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((id) => {
    const file = join(folder, id, FILE);
    if (!NAME.test(id) || !existsSync(file)) return [];
    try {
      return [recordOf(id, JSON.parse(readFileSync(file, "utf8")) as Noted)];
    } catch {
      return [];
    }
  });
}

const isRunning = ({ noted: { pid, began } }: TrialRecord): boolean => {
  const now = beganAt(pid);
  return now !== undefined && (began === null || now === began);
};

/**
 * The records of a database's earlier trials: killed ones, whose rows must be restored, earliest first; and those whose rows
 * could not all be restored, latest last.
 * @throws SandboxError `invalid_state` if another trial changes the database: each would undo the other's changes
 */
export function recordsOf(
  database: string,
  shown: string,
): { abandoned: TrialRecord[]; kept: TrialRecord[] } {
  const all = readRecords().filter((one) => one.noted.database === database);
  const other = all.find((one) => isRunning(one) && one.noted.pid !== process.pid && !one.noted.onCopy);
  if (other)
    throw invalidState(
      `Process ${other.noted.pid} of Sandglass puts the rows of ${shown} back at present.`,
      "Wait until it has ended, or use another database. With --start, each has a copy of its own.",
    );
  const ended = all.filter((one) => !isRunning(one));
  return {
    abandoned: ended.filter(({ noted }) => !noted.isKept),
    kept: ended.filter(({ noted }) => noted.isKept),
  };
}
