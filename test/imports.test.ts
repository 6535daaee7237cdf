import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/**
 * Who may import whom (docs/architecture.md). A room is a folder of src, or a file beside them. Everybody may
 * import `errors`, `package` and `runtime`; areas never import each other.
 */
const MAY_IMPORT: Record<string, string[]> = {
  errors: [],
  package: [],
  runtime: [],
  world: [],
  http: ["world"],
  payments: ["world", "http"],
  "chain-data": ["world", "http"],
  game: ["world", "http"],
  config: ["world", "payments", "chain-data", "game"],
  seed: ["world", "payments", "chain-data", "game", "config"],
  sandbox: ["world", "http", "payments", "chain-data", "game", "config", "seed"],
  snapshots: ["world", "seed"],
  worlds: ["world", "http", "chain-data", "config", "sandbox", "snapshots"],
  scenarios: ["world", "client", "config", "load-module", "sandbox", "worlds"],
  control: ["world", "http", "payments", "chain-data", "game", "sandbox", "worlds", "scenarios", "reports"],
  pages: ["http", "control", "sandbox", "contracts"],
  contracts: ["http", "payments", "chain-data", "game", "control", "sandbox"],
  apps: [
    "http",
    "payments",
    "chain-data",
    "game",
    "control",
    "sandbox",
    "contracts",
    "pages",
    "worlds",
    "scenarios",
  ],
  serve: ["apps", "http", "payments", "chain-data", "control", "sandbox", "config", "worlds", "scenarios"],
  client: [],
  reports: ["http", "world"],
  check: ["library", "payments", "reports", "world"],
  library: ["client", "config", "serve", "world"],
  vitest: ["client", "library"],
  "load-module": [],
  "load-config": ["config", "load-module"],
  cli: [
    "check",
    "client",
    "config",
    "load-config",
    "payments",
    "reports",
    "sandbox",
    "scenarios",
    "serve",
    "contracts",
    "chain-data",
    "snapshots",
    "world",
  ],
  index: ["client", "config", "library", "payments", "scenarios"],
};

/** Rooms whose types alone may be imported: nothing of them is loaded. */
const MAY_IMPORT_TYPES: Record<string, string[]> = {
  check: ["client", "sandbox"],
  client: ["http", "payments", "sandbox", "snapshots", "world", "worlds"],
  reports: ["scenarios"],
};

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.split(sep).join("/"));

const roomOf = (file: string) => file.split("/")[0]!.replace(/\.ts$/, "");

function importsOf(file: string): { target: string; typeOnly: boolean }[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const found = [...text.matchAll(/(import type|export type|import|export|from)[^";]*?"(\.[^"]+\.ts)"/g)];
  return found.map(([, keyword, target]) => ({
    target: posix.normalize(posix.join(dirname(file), target!)),
    typeOnly: keyword!.endsWith("type"),
  }));
}

test("every room is in the table", () => {
  expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

test.each(files)("%s imports only what its room may", (file) => {
  const room = roomOf(file);
  const allowed = new Set([room, "errors", "package", "runtime", ...MAY_IMPORT[room]!]);
  const types = new Set(MAY_IMPORT_TYPES[room]);
  const outside = importsOf(file).filter(({ target, typeOnly }) => {
    const wanted = roomOf(target);
    return target.startsWith("..") || !(allowed.has(wanted) || (typeOnly && types.has(wanted)));
  });
  expect(outside.map(({ target }) => `${file} imports ${target}`)).toEqual([]);
});
