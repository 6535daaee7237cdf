import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, pathOf, timedRun } from "./harness.ts";

const CLI = pathOf("../../dist/cli/main.js");
const MOST_MS = 20_000;

/** `sandglass test` of the example shop, as its CI runs it: every hazard, and every schedule of every story. */
export async function test(): Promise<Figure> {
  const cwd = mkdtempSync(join(tmpdir(), "sandglass-bench-"));
  try {
    cpSync(pathOf("../../examples/shop"), cwd, { recursive: true });
    symlinkSync(pathOf("../../node_modules"), join(cwd, "node_modules"));
    await timedRun(["test/seed.js"], { cwd });
    const ours = await timedRun([CLI, "test"], { cwd });
    return { name: "sandglass test of the example shop", unit: "ms", ours, limit: { most: MOST_MS } };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}
