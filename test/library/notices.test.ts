import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The packages whose code is in the build. The bundler notes the original file of each module. */
function bundledPackages(): string[] {
  const names = new Set<string>();
  for (const file of readdirSync(join(ROOT, "dist"), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".js") || file.startsWith("ui")) continue;
    const modules = readFileSync(join(ROOT, "dist", file), "utf8").matchAll(
      /^\/\/ (?:\.\.\/)*node_modules\/(\S+)$/gm,
    );
    for (const [, path] of modules) {
      const [folder] = /^(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path!)!;
      names.add(JSON.parse(readFileSync(join(ROOT, "node_modules", folder, "package.json"), "utf8")).name);
    }
  }
  return [...names];
}

test("THIRD-PARTY-NOTICES.md lists every bundled package with its licence", () => {
  const notices = readFileSync(join(ROOT, "THIRD-PARTY-NOTICES.md"), "utf8");
  const entries = [...notices.matchAll(/^## (\S+) \S+ \((.+)\)\n\n```text\n([\s\S]+?)\n```$/gm)];
  const named = entries.map(([, name]) => name);
  expect(bundledPackages().length).toBeGreaterThan(40);
  expect(bundledPackages().filter((name) => !named.includes(name))).toEqual([]);
  expect(named).toEqual(expect.arrayContaining(["preact", "fastify", "nock", "@fontsource-variable/inter"]));
  // These licences allow bundling into a package under the MIT licence.
  for (const [, name, licence] of entries)
    expect(licence, name).toMatch(
      /^(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|Apache-2\.0 OR MIT|BlueOak-1\.0\.0|OFL-1\.1)$/,
    );
});

test("the package depends only on better-sqlite3, and its tarball omits development files", () => {
  const { dependencies, files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(Object.keys(dependencies)).toEqual(["better-sqlite3"]);
  expect(files).toEqual(expect.arrayContaining(["!fixtures/chain-data/make", "!docs/*.ts"]));
});
