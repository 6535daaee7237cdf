import { SandboxError } from "./errors.ts";

/** The error codes for a full disk, from the system and from SQLite. */
const WITHOUT_ROOM: readonly unknown[] = ["ENOSPC", "EDQUOT", "SQLITE_FULL"];

const codeOf = (error: unknown) => (error as { code?: unknown } | undefined)?.code;

export const meansDiskFull = (error: unknown): boolean => WITHOUT_ROOM.includes(codeOf(error));

export const diskFull = (path?: string): SandboxError =>
  new SandboxError(
    "disk_full",
    `The disk is full${path === undefined ? "" : `: ${path} could not be written`}.`,
    "Free some disk space and try again. Nothing was changed.",
  );

/** Whether the operation failed only because there was no space left, so that it may succeed later. */
export const lacksRoom = (error: unknown): boolean =>
  error instanceof SandboxError && (error.code === "disk_full" || error.code === "world_full");
