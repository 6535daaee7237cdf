import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, writePrivateFile } from "./private-files.ts";
import { userFolder } from "./user-folder.ts";

/**
 * A running sandbox, recorded in a small per-user file so that commands can find the sandbox of a folder without
 * executing the folder's configuration.
 */
export interface RunningSandbox {
  /** The folder in which the sandbox was started. */
  folder: string;
  /** The sandbox's URL on this machine. */
  url: string;
  /** Whether its port is set in the folder's configuration rather than by a flag. */
  configured: boolean;
  /** The path of the file with trusted certificates, from `https.ca`. */
  ca?: string | undefined;
}

const RECORD = /^(\d+)\.json$/;
const recordsFolder = (): string => join(userFolder("state"), "running");

/**
 * Records this process's sandbox.
 * @returns a function that removes the record
 */
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
    // If recording fails, commands need --url.
    return () => {};
  }
}

/** The recorded sandboxes that are still alive. */
export function runningSandboxes(): RunningSandbox[] {
  try {
    return readdirSync(recordsFolder())
      .filter(isAlive)
      .map((name) => JSON.parse(readFileSync(join(recordsFolder(), name), "utf8")) as RunningSandbox);
  } catch {
    // The folder does not exist, or a sandbox stopped in the meantime.
    return [];
  }
}

/** Whether a record's process is alive. A process that was killed leaves its record behind. */
function isAlive(name: string): boolean {
  const pid = RECORD.exec(name)?.[1];
  try {
    return pid !== undefined && process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
