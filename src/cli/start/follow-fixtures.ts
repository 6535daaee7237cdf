import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fixturePaths, isFixtureFile } from "../../sandbox/fixtures/files.ts";
import { createFileWatcher } from "../file-watcher.ts";
import { note } from "../output.ts";

/**
 * Prints a line whenever the fixtures in `--from` change, because the next reset will use them.
 * @param shown the file or folder as the user wrote it; anything else is not watched
 * @returns a function that stops watching
 */
export function followFixtures(shown: string): (() => void) | undefined {
  const path = resolve(shown);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined || !(isFolder || isFixtureFile(path))) return undefined;
  const watcher = createFileWatcher();
  watcher.watch(fixturePaths(path, shown), isFolder ? [path] : []);
  const follow = async () => {
    for (;;) {
      const changed = [...(await watcher.changed())];
      const names = changed.filter((file) => isFixtureFile(file) && (isFolder || file === path));
      const files = names.map((file) => relative("", file)).join(", ");
      if (files !== "") note(`${files} changed. To load the fixtures again: npx sandglass reset`);
    }
  };
  void follow();
  return watcher.close;
}
