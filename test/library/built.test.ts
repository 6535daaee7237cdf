import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isSource } from "../../build/sources.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CHUNKS = join(ROOT, "dist/chunks");

/** The packages and Node modules that a file of the build imports, directly and through its own imports. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  const outside = new Set<string>();
  (function walk(path: string) {
    if (seen.has(path)) return;
    seen.add(path);
    const imports = readFileSync(path, "utf8").matchAll(/^(?:import|export)[^;"']*?["']([^"']+)["']/gm);
    for (const [, target] of imports)
      if (target!.startsWith(".")) walk(resolve(dirname(path), target!));
      else outside.add(target!);
  })(join(ROOT, file));
  return outside;
}

test("the client and index modules load no native module and no server", () => {
  for (const file of ["dist/client.js", "dist/index.js"])
    for (const heavy of ["better-sqlite3", "fastify", "ws", "nock"])
      expect({ file, heavy, loaded: loadedBy(file).has(heavy) }).toEqual({ file, heavy, loaded: false });
});

/** Finds the chunk that calls a running sandbox. The chunk of a database client has the same name. */
const clientChunk = (): string =>
  readdirSync(CHUNKS).find(
    (name) =>
      /^client-.*\.js$/.test(name) && readFileSync(join(CHUNKS, name), "utf8").includes("function overHttp("),
  )!;

test("the client and the client commands contain no schema", () => {
  /** The key with which TypeBox marks its schemas. Only the server should contain it. */
  const hasSchemas = (path: string) => readFileSync(path, "utf8").includes("~kind");
  const [server] = readdirSync(CHUNKS).filter((name) => /^server-.*\.js$/.test(name));
  expect(hasSchemas(join(CHUNKS, server!))).toBe(true);
  const commands = [clientChunk(), ...readdirSync(CHUNKS).filter((name) => /^program-.*\.js$/.test(name))];
  expect(commands.some((name) => name.startsWith("program-"))).toBe(true);
  for (const file of ["dist/client.js", ...commands.map((name) => `dist/chunks/${name}`)]) {
    const loaded = new Set<string>();
    loadedBy(file, loaded);
    expect([...loaded].filter(hasSchemas), file).toEqual([]);
  }
});

test("the client's chunk contains no configuration loader", () => {
  const loaded = new Set<string>();
  loadedBy(`dist/chunks/${clientChunk()}`, loaded);
  const text = [...loaded].map((file) => readFileSync(file, "utf8")).join("");
  expect(text).toContain("function overHttp(");
  expect(text).not.toContain("function resolveConfig(");
});

test("the client's undici bundle contains only undici's agent", () => {
  const loaded = new Set<string>();
  loadedBy("dist/undici.js", loaded);
  expect([...loaded].map((file) => file.replace(/^.*dist.|-[^-]*\.js$/g, "")).sort()).toEqual([
    expect.stringMatching(/^chunks.agent$/),
    expect.stringMatching(/^chunks.rolldown-runtime$/),
    "undici.js",
  ]);
  for (const file of loaded) expect(readFileSync(file, "utf8")).not.toContain("setShouldAutodetect");
});

test("every file that a source file imports is part of the build hash", () => {
  for (const folder of ["src", "ui"])
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(name)) continue;
      const path = join(ROOT, folder, name);
      for (const [, target] of readFileSync(path, "utf8").matchAll(/(?:from|import\() ?"(\.[^"?]+)/g)) {
        const imported = relative(ROOT, resolve(dirname(path), target!))
          .split(sep)
          .join("/");
        expect({ name, target, isHashed: isSource(imported) }).toMatchObject({ isHashed: true });
      }
    }
});
