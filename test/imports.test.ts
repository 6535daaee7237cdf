import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/**
 * Who may import whom (docs/architecture.md, "Import rules"). A room is a folder of src, or its `index.ts`. Every room may
 * import `errors` and `runtime`, except timeline, which the page has as well; areas never import each other.
 */
const MAY_IMPORT: Record<string, string[]> = {
  errors: [],
  timeline: [],
  runtime: [],
  world: [],
  schema: ["world"],
  html: [],
  http: ["world", "schema"],
  webhooks: ["world", "schema", "http", "timeline"],
  payments: ["world", "schema", "http", "html", "timeline", "webhooks"],
  senders: ["world", "capture", "schema", "http", "webhooks"],
  "chain-data": ["world", "schema", "http"],
  capture: ["webhooks", "world"],
  game: ["world", "schema", "http"],
  config: ["world", "schema", "webhooks", "payments", "chain-data", "game"],
  sandbox: [
    "world",
    "schema",
    "http",
    "webhooks",
    "payments",
    "chain-data",
    "game",
    "config",
    "timeline",
    "senders",
  ],
  reports: ["html", "timeline"],
  scenarios: ["world", "client", "config", "reports", "sandbox", "senders", "timeline"],
  operations: [
    "world",
    "http",
    "webhooks",
    "payments",
    "chain-data",
    "game",
    "sandbox",
    "scenarios",
    "timeline",
  ],
  control: ["world", "http", "operations", "sandbox", "scenarios", "reports", "timeline"],
  server: [
    "html",
    "http",
    "control",
    "senders",
    "operations",
    "sandbox",
    "config",
    "scenarios",
    "chain-data",
    "timeline",
    "world",
  ],
  // The build writes as data what it has of operations.
  client: ["operations"],
  library: ["client", "config", "server", "timeline", "trial", "world"],
  trial: [
    "chain-data",
    "client",
    "config",
    "html",
    "http",
    "library",
    "payments",
    "reports",
    "sandbox",
    "scenarios",
    "schema",
    "senders",
    "timeline",
    "webhooks",
    "world",
  ],
  mcp: ["client", "http", "reports", "timeline"],
  cli: [
    "capture",
    "client",
    "config",
    "library",
    "mcp",
    "payments",
    "reports",
    "sandbox",
    "scenarios",
    "schema",
    "senders",
    "server",
    "timeline",
    "chain-data",
    "trial",
    "webhooks",
    "world",
  ],
  index: ["client", "config", "library", "payments", "scenarios", "senders", "trial"],
};

/** Rooms whose types alone may be imported: nothing of them is loaded. */
const MAY_IMPORT_TYPES: Record<string, string[]> = {
  cli: ["library"],
  client: ["http", "library", "payments", "sandbox", "world"],
  // The words that both use are declared by the library.
  config: ["library"],
  html: ["http"],
  index: ["game"],
  library: ["chain-data", "config", "game", "http", "operations", "payments", "sandbox", "webhooks"],
  mcp: ["library", "sandbox", "scenarios", "trial", "world"],
  payments: ["library"],
  reports: ["scenarios", "world"],
  scenarios: ["library", "operations"],
  operations: ["library"],
  sandbox: ["operations"],
  senders: ["library"],
  timeline: ["operations", "scenarios", "world"],
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
  const shared = room === "timeline" ? [] : ["errors", "runtime"];
  const allowed = new Set([room, ...shared, ...MAY_IMPORT[room]!]);
  const types = new Set(MAY_IMPORT_TYPES[room]);
  const outside = importsOf(file).filter(({ target, typeOnly }) => {
    const wanted = roomOf(target);
    return target.startsWith("..") || !(allowed.has(wanted) || (typeOnly && types.has(wanted)));
  });
  expect(outside.map(({ target }) => `${file} imports ${target}`)).toEqual([]);
});

test("the webhook engine knows no area: whatever sends webhooks may use it", () => {
  const areas = ["payments", "chain-data", "game"];
  expect(MAY_IMPORT.webhooks!.concat(MAY_IMPORT_TYPES.webhooks ?? [])).not.toEqual(
    expect.arrayContaining([expect.toBeOneOf(areas)]),
  );
});

test("timeline runs in a browser, too: it imports no package and no module of Node", () => {
  for (const file of files.filter((name) => roomOf(name) === "timeline")) {
    const imported = [...readFileSync(join(SRC, file), "utf8").matchAll(/(?:from|import) "([^"]+)"/g)];
    expect(
      imported.map(([, target]) => target).filter((target) => !target!.startsWith(".")),
      file,
    ).toEqual([]);
  }
});

/** Files of src and ui with what each imports, types included. */
function importGraph(): Map<string, string[]> {
  const root = join(SRC, "..");
  const sources = ["src", "ui"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/${name.split(sep).join("/")}`),
  );
  const all = new Set(sources);
  return new Map(
    sources.map((file) => {
      const text = readFileSync(join(root, file), "utf8");
      // The command line has no circle of what is loaded later, either.
      const imports = file.startsWith("src/cli/")
        ? /(?:from |import ?\(?)"(\.[^"]+)"/g
        : /(?:from|import) "(\.[^"]+)"/g;
      const targets = [...text.matchAll(imports)].map(([, target]) =>
        posix.normalize(posix.join(dirname(file), target!)),
      );
      return [file, targets.filter((target) => all.has(target))];
    }),
  );
}

test("no file imports itself by way of others, not even for types; what is loaded later may", () => {
  const graph = importGraph();
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" → "));
    if (done.has(file)) return;
    done.add(file);
    for (const target of graph.get(file)!) visit(target, [...path, file]);
  };
  for (const file of graph.keys()) visit(file, []);
  expect(circles).toEqual([]);
});

test("a file of more than 300 lines says why in its first comment", () => {
  const long = [...importGraph().keys()].filter((file) => {
    const text = readFileSync(join(SRC, "..", file), "utf8");
    const [comment = ""] = /\/\*\*[\s\S]*?\*\//.exec(text) ?? [];
    return text.split("\n").length > 301 && !comment.includes("however long");
  });
  expect(long).toEqual([]);
});
