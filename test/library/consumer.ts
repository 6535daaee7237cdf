import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import "../support/built.ts";
import { type Ended, runChild } from "../support/child.ts";
import { INSTALLED } from "../support/installed.ts";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Creates a user's project with the built package: a folder with these files, in which `sandglass` and the given
 * packages can be imported. It is removed after the test.
 */
export function consumerProject(files: Record<string, string>, packages: readonly string[] = []) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sandglass-consumer-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  link(folder, "sandglass", INSTALLED);
  for (const name of packages) link(folder, name, join(ROOT, "node_modules", name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

  return {
    folder,
    /** Runs Node there until it exits, without the settings of this suite's own runner. */
    node(args: readonly string[], more: Record<string, string> = {}): Promise<Ended> {
      const { NODE_OPTIONS: _options, VITEST: _vitest, NODE_ENV: _env, ...inherited } = process.env;
      return runChild(process.execPath, args, { cwd: folder, env: { ...inherited, NO_COLOR: "1", ...more } });
    },
  };
}

/** The option that Node needs for `await using`, which it supports natively from version 24 on. */
export const AWAIT_USING =
  Number.parseInt(process.versions.node, 10) < 24 ? ["--import", import.meta.resolve("tsx")] : [];

/** The path of a file in a package installed in this project, to be run by Node. */
export const binOf = (path: string): string => join(ROOT, "node_modules", path);

function link(folder: string, name: string, target: string): void {
  const path = join(folder, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
