import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/**
 * Who may import whom (docs/architecture.md, "Import rules"). A room is a folder of src, or its `index.ts`. Every room may
 * import `errors` and `runtime`; areas never import each other.
 */
const MAY_IMPORT: Record<string, string[]> = {
  errors: [],
  runtime: [],
  world: [],
  html: [],
  http: ["world"],
  payments: ["world", "http", "html"],
  "chain-data": ["world", "http"],
  game: ["world", "http"],
  config: ["world", "payments", "chain-data", "game"],
  sandbox: ["world", "http", "payments", "chain-data", "game", "config"],
  reports: ["html", "world"],
  scenarios: ["world", "client", "config", "reports", "sandbox"],
  control: ["world", "http", "payments", "chain-data", "game", "sandbox", "scenarios", "reports"],
  server: ["html", "http", "control", "sandbox", "config", "scenarios", "chain-data"],
  client: [],
  library: ["client", "config", "server", "world"],
  check: ["library", "payments", "reports", "world"],
  cli: [
    "check",
    "client",
    "config",
    "library",
    "payments",
    "reports",
    "sandbox",
    "scenarios",
    "server",
    "chain-data",
    "world",
  ],
  index: ["client", "config", "library", "payments", "scenarios"],
};

/** Rooms whose types alone may be imported: nothing of them is loaded. */
const MAY_IMPORT_TYPES: Record<string, string[]> = {
  check: ["client", "sandbox"],
  cli: ["library"],
  client: ["http", "library", "payments", "sandbox", "world"],
  // The words that both use are declared by the library.
  config: ["library"],
  html: ["http"],
  index: ["game"],
  reports: ["scenarios"],
  scenarios: ["library"],
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
  const allowed = new Set([room, "errors", "runtime", ...MAY_IMPORT[room]!]);
  const types = new Set(MAY_IMPORT_TYPES[room]);
  const outside = importsOf(file).filter(({ target, typeOnly }) => {
    const wanted = roomOf(target);
    return target.startsWith("..") || !(allowed.has(wanted) || (typeOnly && types.has(wanted)));
  });
  expect(outside.map(({ target }) => `${file} imports ${target}`)).toEqual([]);
});
