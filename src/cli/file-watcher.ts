import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { wallTimer } from "../world/clock.ts";

/** Editors save a file in several steps, so events within this many real milliseconds count as one change. */
const SETTLE_MS = 100;

/**
 * Watches files for changes. It watches their folders, because many editors save by writing a new file and renaming it,
 * and a watch on the file itself would keep following the old one.
 */
export function createFileWatcher() {
  const folders = new Map<string, FSWatcher>();
  /** Each file's version when it was last checked. */
  const versions = new Map<string, string>();
  const pending = new Set<string>();
  let cancel = () => {};
  let wake: ((changed: Set<string>) => void) | undefined;

  function notice(folder: string, name: string | null): void {
    // Some systems do not report which file has changed.
    const paths =
      name === null ? [...versions.keys()].filter((path) => dirname(path) === folder) : [join(folder, name)];
    for (const path of paths) pending.add(path);
    cancel();
    cancel = wallTimer(SETTLE_MS, deliver);
  }

  /** Reports the files that have actually changed since the last report. */
  function deliver(): void {
    if (!wake) return;
    const changed = new Set<string>();
    for (const path of pending) {
      const version = versionOf(path);
      if (version === versions.get(path)) continue;
      changed.add(path);
      if (versions.has(path)) versions.set(path, version);
    }
    pending.clear();
    if (changed.size === 0) return;
    const resolve = wake;
    wake = undefined;
    resolve(changed);
  }

  function watchFolder(folder: string): void {
    if (folders.has(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => notice(folder, name));
      // A folder that has been removed no longer needs watching.
      watcher.on("error", () => watcher.close());
      folders.set(folder, watcher);
    } catch {
      // The folder does not exist yet.
    }
  }

  return {
    /** Watches these files, and any new files in their folders and in the given folders. */
    watch(files: Iterable<string>, also: Iterable<string> = []): void {
      for (const path of files) {
        if (!versions.has(path)) versions.set(path, versionOf(path));
        watchFolder(dirname(path));
      }
      for (const folder of also) watchFolder(folder);
    },

    /** Resolves with the files that changed, appeared or disappeared since the last call. Only one caller may wait. */
    changed(): Promise<Set<string>> {
      return new Promise((resolve) => {
        wake = resolve;
        if (pending.size > 0) deliver();
      });
    },

    close(): void {
      cancel();
      for (const watcher of folders.values()) watcher.close();
    },
  };
}

function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.mtimeMs} ${found.size} ${found.ino}` : "none";
}
