import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { folderOf } from "./cli.ts";

/** Mounts a separate disk of this size; undefined if this user cannot mount one. */
export function mountSmallDisk(kilobytes: number): string | undefined {
  const folder = folderOf();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}
