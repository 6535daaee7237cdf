import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Mounts a separate disk of this size; undefined if this user cannot mount one. */
export function mountSmallDisk(kilobytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-disk-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder]));
  return folder;
}
