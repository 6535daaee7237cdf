import { createHash } from "node:crypto";
import { drawName, PREFIX } from "../copy-names.ts";

/** The names of the databases that a trial creates. They begin alike, so that one grant allows them all. */

/** MySQL's longest name of a database is 64 characters. */
const MOST_NAME = 28;

const short = (name: string): string =>
  name.length <= MOST_NAME
    ? name
    : `${name.slice(0, MOST_NAME - 9)}_${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;

/** The database with the copy of a database's rows, while its server works on it in place. */
export const shelfOf = (database: string): string => `${PREFIX}_rows_${short(database)}`;

/** A new name for a copy that a server works on. */
export const drawCopy = (database: string): string => `${drawName()}_${short(database)}`;

const DRAWN = new RegExp(`^${PREFIX}_[0-9a-z]{8,9}_[0-9a-f]{8}_`);

/** Whether a name is that of such a copy of a database. */
export const isCopyOf = (name: string, database: string): boolean =>
  DRAWN.test(name) && name.replace(DRAWN, "") === short(database);

/** The databases beside a copy: with the user's rows, with those of the copy, and with its tables without indexes. */
export const originOf = (copy: string): string => `${copy}_0`;
export const shelfOfCopy = (copy: string): string => `${copy}_1`;
export const plainOf = (copy: string): string => `${copy}_2`;

/** All databases of a copy, of which the first is the latest to be made. */
export const databasesOf = (copy: string): string[] => [
  copy,
  shelfOfCopy(copy),
  plainOf(copy),
  originOf(copy),
];

/** The databases that a grant has to name. */
export const GRANTED = `\`${PREFIX.replaceAll("_", "\\_")}\\_%\`.*`;
