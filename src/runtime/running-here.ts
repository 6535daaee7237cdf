import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, writePrivateFile } from "./private-files.ts";
import { userFolder } from "./user-folder.ts";

/**
 * The running sandboxes by their folders: each writes a small file for this user, so that commands find it without running the
 * folder's configuration.
 */
export interface RunningSandbox {
  /** The folder in which the sandbox was started. */
  folder: string;
  /** Its address for this machine. */
  url: string;
  /** Whether its port is that of the folder's configuration, and not of a flag. */
  configured: boolean;
  /** The file of trusted certificates, from `https.ca`. */
  ca?: string | undefined;
}

const RECORD = /^(\d+)\.json$/;
const recordsFolder = (): string => join(userFolder("state"), "running");

/** Records the sandbox of this process. @returns removes the record */
export function recordRunning(running: Omit<RunningSandbox, "folder">): () => void {
  const file = join(recordsFolder(), `${process.pid}.json`);
  try {
    makePrivateFolder(recordsFolder(), RECORD);
    for (const name of readdirSync(recordsFolder()))
      if (!isAlive(name)) rmSync(join(recordsFolder(), name), { force: true });
    const record: RunningSandbox = { folder: process.cwd(), ...running };
    writePrivateFile(file, JSON.stringify(record));
    return () => rmSync(file, { force: true });
  } catch {
    // Without a record, commands need --url.
    return () => {};
  }
}

/** The recorded sandboxes that are running. */
export function runningSandboxes(): RunningSandbox[] {
  try {
    return readdirSync(recordsFolder())
      .filter(isAlive)
      .map((name) => JSON.parse(readFileSync(join(recordsFolder(), name), "utf8")) as RunningSandbox);
  } catch {
    // The folder does not exist, or a sandbox ended meanwhile.
    return [];
  }
}

/** Whether the process of a record lives; a killed one leaves its record. */
function isAlive(name: string): boolean {
  const pid = RECORD.exec(name)?.[1];
  try {
    return pid !== undefined && process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
