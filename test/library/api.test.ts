import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiReport } from "../../build/api-report.ts";
import packageJson from "../../package.json" with { type: "json" };
import { ROOT } from "./consumer.ts";

const TYPES = join(ROOT, "dist/types");

const read = (entry: string) => readFileSync(join(TYPES, `${entry}.d.ts`), "utf8");

test("typesVersions provides each subpath's types to compilers that ignore exports", () => {
  const { exports, types, typesVersions } = packageJson;
  const { ".": main, "./package.json": _, ...subpaths } = exports;
  const expected = Object.entries(subpaths).map(([path, { types }]) => [path.replace("./", ""), [types]]);
  expect(typesVersions).toEqual({ "*": Object.fromEntries(expected) });
  expect(types).toBe(main.types);
});

test("docs/api.md matches the public types (after a change, run `npm run api` and commit the file)", () => {
  expect(readFileSync(join(ROOT, "docs/api.md"), "utf8")).toBe(apiReport(TYPES));
});

test("each package entry has one declaration file", () => {
  expect(readdirSync(TYPES).sort()).toEqual(["client.d.ts", "index.d.ts", "playwright.d.ts", "vitest.d.ts"]);
});

test.each([
  ["index", []],
  ["client", ["./index.js"]],
  ["vitest", ["./index.js", "vitest"]],
])("the types of %s import only the modules %j", (entry, needed) => {
  const modules = [...read(entry).matchAll(/(?:\bfrom |\bimport\()"([^"]+)"/g)].map(([, name]) => name!);
  expect([...new Set(modules)].sort()).toEqual(needed);
});

test.each(["index", "client", "vitest"])(
  "everything that %s exports has a comment with an example",
  (entry) => {
    const text = read(entry);
    const exported = [
      ...[...text.matchAll(/^export (?:type )?\{([^}]*)\};/gm)].flatMap(([, names]) => names!.split(",")),
      ...[...text.matchAll(/^export (?:declare )?(?:const|class|function|interface) (\w+)/gm)].map(
        ([, name]) => name!,
      ),
    ];
    const imported = [...text.matchAll(/^import \{([^}]*)\}/gm)].flatMap(([, names]) => names!.split(","));
    const own = exported
      .map((name) => name.trim().replace(/^type /, ""))
      .filter((name) => name !== "" && !imported.some((other) => other.trim() === name));
    const undocumented = own.filter((name) => {
      const declaration = new RegExp(
        `\\*/\\n(?:export )?(?:declare )?(?:const|class|function|interface|type) ${name}\\b`,
      ).exec(text);
      if (!declaration) return true;
      return !text.slice(text.lastIndexOf("/**", declaration.index), declaration.index).includes("@example");
    });
    expect(undocumented).toEqual([]);
  },
);

test.each(["index", "client", "vitest"])("the types of %s use the same names as the sources", (entry) => {
  expect(read(entry)).not.toMatch(/\w\$\d|^(?:im|ex)port \{[^}]*\bas\b/m);
});

test("each comment in the types precedes its declaration", () => {
  const lines = read("index").split("\n");
  expect(lines.filter((line) => /\S.*\/\*\*/.test(line))).toEqual([]);
});
