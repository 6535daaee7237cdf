import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Figure, median, timed } from "./harness.ts";
import { serveRegistry } from "./registry.ts";

const ROUNDS = 3;
/** Options for an install that does nothing else. */
const QUIET = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];

/**
 * Measures the size of an `npm install` of the packed package, and how long it takes compared with better-sqlite3
 * alone.
 */
export async function install(): Promise<Figure[]> {
  if (spawnSync("npm", ["ping"], { stdio: "ignore", timeout: 20_000 }).status !== 0) {
    console.log("install: skipped, as npm cannot reach its registry.");
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), "sandglass-bench-"));
  const packed = execFileSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    encoding: "utf8",
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const registry = await serveRegistry(join(folder, filename), upstream);
  const { version } = JSON.parse(readFileSync("node_modules/better-sqlite3/package.json", "utf8")) as {
    version: string;
  };
  const installed = async (what: string) => {
    const into = mkdtempSync(join(folder, "install-"));
    const cache = mkdtempSync(join(folder, "cache-"));
    const args = ["install", what, "--prefix", into, "--cache", cache, "--registry", registry.url, ...QUIET];
    // Run npm in another process, because this thread serves the registry.
    const ms = await timed(() => promisify(execFile)("npm", args, { cwd: into }));
    return { ms, into };
  };
  const pairs: [number, number][] = [];
  let packages = 0;
  let megabytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await installed("sandglass");
    const bare = await installed(`better-sqlite3@${version}`);
    pairs.push([ours.ms, bare.ms]);
    packages = packagesIn(ours.into);
    megabytes = sizeOf(join(ours.into, "node_modules")) / 1_000_000;
  }
  registry.close();
  rmSync(folder, { recursive: true });
  return [
    { name: "packages that an install brings", unit: "packages", ours: packages, limit: { most: 12 } },
    { name: "size of an install", unit: "MB", ours: megabytes, limit: { most: 40 } },
    {
      name: "npm install of the package, of better-sqlite3 alone",
      unit: "ms",
      ours: median(pairs.map(([ours]) => ours)),
      bare: median(pairs.map(([, bare]) => bare)),
      ratio: median(pairs.map(([ours, bare]) => ours / bare)),
      limit: { most: 3 },
    },
  ];
}

function packagesIn(folder: string): number {
  const lock = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8"));
  return Object.keys(lock.packages).length;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
}
