import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/**
 * The layers (docs/architecture.md, "Layers"), lowest first. A module, which is a folder of src or its `index.ts`, may
 * import lower layers and, in its own layer, the modules listed here. Type imports count as well.
 */
const LAYERS: Record<string, readonly string[]>[] = [
  {
    errors: [],
    runtime: ["errors"],
    world: ["errors", "runtime"],
    schema: ["errors", "runtime", "world"],
    html: ["runtime", "schema"],
  },
  { http: [], timeline: ["http"], webhooks: ["http", "timeline"] },
  { payments: [], "chain-data": [], game: [], capture: [], senders: ["capture"] },
  {
    config: [],
    operations: [],
    sandbox: ["config", "operations"],
    library: ["config", "operations", "sandbox"],
    client: ["library", "operations"],
    reports: ["operations"],
    scenarios: ["client", "config", "library", "reports", "sandbox"],
    trial: ["client", "config", "library", "operations", "reports", "sandbox", "scenarios"],
    control: ["operations", "reports", "sandbox", "scenarios", "trial"],
    server: ["config", "control", "sandbox", "scenarios", "trial"],
    entries: ["client", "config", "library", "server", "trial"],
  },
  { mcp: [], cli: ["mcp"], index: [] },
];
const MODULES = new Map(LAYERS.flatMap((layer, level) => Object.keys(layer).map((name) => [name, level])));

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.split(sep).join("/"));

const moduleOf = (file: string) => file.split("/")[0]!.replace(/\.ts$/, "");

function importsOf(file: string): { target: string; typeOnly: boolean }[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const found = [...text.matchAll(/(import type|export type|import|export|from)[^";]*?"(\.[^"]+\.ts)"/g)];
  return found.map(([, keyword, target]) => ({
    target: posix.normalize(posix.join(dirname(file), target!)),
    typeOnly: keyword!.endsWith("type"),
  }));
}

test("every module belongs to a layer and lists only neighbours that come before it", () => {
  expect([...new Set(files.map(moduleOf))].sort()).toEqual([...MODULES.keys()].sort());
  for (const layer of LAYERS)
    for (const [position, [name, neighbours]] of Object.entries(layer).entries())
      expect(Object.keys(layer).slice(0, position), name).toEqual(expect.arrayContaining([...neighbours]));
});

test.each([...MODULES])(
  "%s imports only lower layers and the neighbours that the table lists",
  (name, level) => {
    const may = new Set([name, ...LAYERS[level]![name]!]);
    const isAllowed = (module: string): boolean => may.has(module) || (MODULES.get(module) ?? level) < level;
    const outside = files
      .filter((file) => moduleOf(file) === name)
      .flatMap((file) =>
        importsOf(file)
          .filter(({ target }) => !isAllowed(moduleOf(target)))
          .map(({ target }) => `${file} imports ${target}`),
      );
    expect(outside).toEqual([]);
  },
);

test("the timeline module can run in a browser: it imports no package, no Node module, and only types from other modules", () => {
  const schemas = "timeline/schemas.ts";
  for (const file of files.filter((name) => moduleOf(name) === "timeline" && name !== schemas)) {
    const loaded = importsOf(file).filter(
      ({ target, typeOnly }) => !typeOnly && (moduleOf(target) !== "timeline" || target === schemas),
    );
    expect(loaded, file).toEqual([]);
    const imported = [...readFileSync(join(SRC, file), "utf8").matchAll(/(?:from|import) "([^"]+)"/g)];
    expect(
      imported.map(([, target]) => target).filter((target) => !target!.startsWith(".")),
      file,
    ).toEqual([]);
  }
});

/** The files of src and ui with what each of them imports, including types. */
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
      // In the command line and in the code for the server under test, dynamic imports must not form a cycle, either.
      const imports = /^src\/(?:cli|trial\/(?:subject|database))\//.test(file)
        ? /(?:from |import ?\(?)"(\.[^"]+)"/g
        : /(?:from|import) "(\.[^"]+)"/g;
      const targets = [...text.matchAll(imports)].map(([, target]) =>
        posix.normalize(posix.join(dirname(file), target!)),
      );
      return [file, targets.filter((target) => all.has(target))];
    }),
  );
}

test("no file imports itself indirectly, except dynamically", () => {
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

test("a file with more than 300 lines explains its length in its first comment", () => {
  const long = [...importGraph().keys()].filter((file) => {
    const text = readFileSync(join(SRC, "..", file), "utf8");
    const [comment = ""] = /\/\*\*[\s\S]*?\*\//.exec(text) ?? [];
    return text.split("\n").length > 301 && !comment.includes("however long");
  });
  expect(long).toEqual([]);
});

test("a module's interface is declared, not inferred from its factory", () => {
  const graph = importGraph();
  const textOf = (file: string) => readFileSync(join(SRC, "..", file), "utf8");
  const moduleOf = (file: string) => /^ui|^src\/[^/]+/.exec(file)?.[0];
  const inferred = [...graph.keys()].flatMap((file) => {
    const made = /^export type (\w+)(?:<\w+>)? =\s+(?:Awaited<)?ReturnType<typeof (?:create|open)\w+>>?;/gm;
    const users = [...graph.keys()].filter(
      (user) => moduleOf(user) !== moduleOf(file) && graph.get(user)!.includes(file),
    );
    return [...textOf(file).matchAll(made)].flatMap(([, name]) => {
      const imported = new RegExp(`\\{[^}]*\\b${name}\\b[^}]*\\} from "[^"]*/${posix.basename(file)}"`);
      return users.some((user) => imported.test(textOf(user))) ? [`${file} ${name}`] : [];
    });
  });
  expect(inferred).toEqual([]);
});
