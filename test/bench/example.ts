import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, startPostgres } from "../support/postgres.ts";
import { type Figure, pathOf, timedRun } from "./harness.ts";

const CLI = pathOf("../../dist/cli/main.js");
const EXAMPLE = pathOf("../../examples/stripe-shop");
const MOST_MS = 20_000;
/** The exit code that shows that the test found the shop's bug. */
const FOUND = 1;

/**
 * Measures `sandglass test` for the example shop for Stripe webhooks, as its CI runs it: every hazard, and every story
 * until one fails.
 */
export async function test(): Promise<Figure[]> {
  if (!hasPostgres()) {
    console.error("test: Postgres is not installed, so the example shop is not measured.");
    return [];
  }
  const cwd = mkdtempSync(join(tmpdir(), "sandglass-bench-"));
  const postgres = await startPostgres();
  try {
    cpSync(EXAMPLE, cwd, { recursive: true });
    symlinkSync(pathOf("../../node_modules"), join(cwd, "node_modules"));
    await postgres.query(readFileSync(join(EXAMPLE, "schema.sql"), "utf8"));
    const env = { DATABASE_URL: postgres.url };
    const ours = await timedRun([CLI, "test"], { cwd, env, code: FOUND });
    return [{ name: "sandglass test of the example shop", unit: "ms", ours, limit: { most: MOST_MS } }];
  } finally {
    await postgres.close();
    rmSync(cwd, { recursive: true });
  }
}
