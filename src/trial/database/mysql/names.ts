import { createHash } from "node:crypto";
import { drawName, PREFIX } from "../copy-names.ts";

/** The names of databases that a trial creates. They share a prefix, so that one grant covers all of them. */

/** MySQL limits database names to 64 characters. */
const MOST_NAME = 28;

const short = (name: string): string =>
  name.length <= MOST_NAME
    ? name
    : `${name.slice(0, MOST_NAME - 9)}_${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;

/** The database that stores the copied rows while the server works in place. */
export const shelfOf = (database: string): string => `${PREFIX}_rows_${short(database)}`;

/** Creates a name for a copy that a server works on. */
export const drawCopy = (database: string): string => `${drawName()}_${short(database)}`;

const DRAWN = new RegExp(`^${PREFIX}_[0-9a-z]{8,9}_[0-9a-f]{8}_`);

/** Whether a name belongs to a database copy that a server works on. */
export const isCopyOf = (name: string, database: string): boolean =>
  DRAWN.test(name) && name.replace(DRAWN, "") === short(database);

/** The databases that accompany a copy: the user's rows, the copy's rows, and the copy's tables without indexes. */
export const originOf = (copy: string): string => `${copy}_0`;
export const shelfOfCopy = (copy: string): string => `${copy}_1`;
export const plainOf = (copy: string): string => `${copy}_2`;

/** All databases that belong to a copy. The first one is created last. */
export const databasesOf = (copy: string): string[] => [
  copy,
  shelfOfCopy(copy),
  plainOf(copy),
  originOf(copy),
];

/** The pattern of database names to use in a grant. */
export const GRANTED = `\`${PREFIX.replaceAll("_", "\\_")}\\_%\`.*`;
