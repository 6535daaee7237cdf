import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, median, pathOf } from "./harness.ts";

const USE = `
import * as library from "sandglass";
import type * as Types from "sandglass";
import * as client from "sandglass/client";

export const start: (options: Types.CreateSandboxOptions) => Promise<Types.Sandbox> = library.createSandbox;
export const timeline = async (id: string): Promise<Types.Timeline> => (await client.connect()).webhooks.timeline(id);
`;

/** The program without the library, for comparison. */
const BARE = `
export const start = async (options: { port?: number }): Promise<{ url: string }> => ({ url: String(options.port) });
export const timeline = async (id: string): Promise<{ id: string }> => ({ id });
`;

const OPTIONS = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--types", ""];

/**
 * Measures how much time the library's types cost: runs `tsc --strict`, which also checks the declarations, with and
 * without them.
 */
export function types(): Figure {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-types-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(pathOf("../.."), join(folder, "node_modules/sandglass"));
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    writeFileSync(join(folder, "use.ts"), USE);
    writeFileSync(join(folder, "bare.ts"), BARE);
    const check = (file: string): number => {
      const started = performance.now();
      execFileSync(process.execPath, [pathOf("../../node_modules/typescript/bin/tsc"), ...OPTIONS, file], {
        cwd: folder,
        stdio: "inherit",
      });
      return performance.now() - started;
    };
    check("use.ts");
    check("bare.ts");
    const pairs: [number, number][] = [];
    for (let round = 0; round < 9; round += 1) pairs.push([check("use.ts"), check("bare.ts")]);
    return {
      name: "tsc --strict of a file that imports everything, of one that imports nothing",
      unit: "ms",
      ours: median(pairs.map(([a]) => a)),
      bare: median(pairs.map(([, b]) => b)),
      ratio: median(pairs.map(([a, b]) => a / b)),
      limit: { most: 1.3 },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
