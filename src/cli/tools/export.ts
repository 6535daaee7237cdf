import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { conflict, misuse } from "../../errors/errors.ts";
import { fileError, reasonOf } from "../../errors/file-error.ts";
import { FIXTURES_SCHEMA, inPackage } from "../../runtime/package.ts";
import { refuseLinks } from "../../runtime/private-files.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { view } from "../operation/view.ts";

/** The file for the world's own fields. */
const WORLD_FILE = "fixtures";

export const views = view("export", {
  async read(given) {
    const { folder, force } = given;
    const path = resolve(folder);
    given.existing = existsSync(path) ? filesIn(path, folder) : [];
    const others = await withoutFixtures(path, given.existing);
    if (others.length > 0)
      throw conflict(
        `${folder} contains files that are not fixtures: ${listed(others)}.`,
        "Sandglass would read them when it starts from this folder. Choose another one: npx sandglass export fixtures",
      );
    if (given.existing.length > 0 && !force)
      throw conflict(
        `${folder} already contains fixtures: ${listed(given.existing)}.`,
        `Choose another folder, or replace them: npx sandglass export ${shellArgument(folder)} --force`,
      );
    return {};
  },

  async pick(world, { given: { folder, yaml, existing } }) {
    const path = resolve(folder);
    const files = filesOf(world);
    const schema = schemaFrom(path);
    const textOf = yaml ? await yamlOf(schema) : jsonOf(schema);
    try {
      refuseLinks(path);
      mkdirSync(path, { recursive: true });
      for (const name of existing) rmSync(join(path, name));
      for (const [name, content] of files)
        writeFileSync(join(path, `${name}.${yaml ? "yaml" : "json"}`), textOf(content));
    } catch (error) {
      throw fileError("write to", folder, error, "Choose a writable folder.");
    }
    const lists = Object.values(world).filter(Array.isArray);
    const rows = lists.reduce((sum, list) => sum + list.length, 0);
    return { folder: path, files: files.map(([name]) => name), rows };
  },

  lines: ({ files, rows }, { given: { folder } }) => [
    `Wrote ${rows} rows in ${files.length} files to ${folder}.`,
    `Start from them: npx sandglass --from ${shellArgument(folder)}`,
  ],
});

/** Splits a world into files: one for the world's own fields, and one for each kind of row. */
function filesOf(world: Record<string, unknown>): [name: string, content: Record<string, unknown>][] {
  const entries = Object.entries(world);
  const lists = entries.filter(([, value]) => Array.isArray(value));
  const rest = entries.filter(([, value]) => !Array.isArray(value));
  return [
    [WORLD_FILE, Object.fromEntries(rest)],
    ...lists.map(([kind, rows]): [string, Record<string, unknown>] => [
      kind.replaceAll("_", "-"),
      { [kind]: rows },
    ]),
  ];
}

const listed = (names: readonly string[]): string =>
  names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "");

/** The files in the folder that are not fixtures. They belong to the user and are never replaced. */
async function withoutFixtures(path: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const [{ readFixtureFiles }, { parseFile }] = await Promise.all([
    import("../../sandbox/fixtures/files.ts"),
    import("../../schema/parse-file.ts"),
  ]);
  const readFixtures = async (file: string, name: string) =>
    parseFile(readFixtureFiles(file, name)[0]!, "invalid_fixtures");
  const schema = JSON.parse(readFileSync(inPackage(FIXTURES_SCHEMA), "utf8")) as { properties: object };
  const hasFixtures = async (name: string): Promise<boolean> => {
    const content = await readFixtures(join(path, name), name).catch(() => null);
    const fields = Object.keys(content ?? {});
    return fields.length > 0 && fields.every((field) => Object.hasOwn(schema.properties, field));
  };
  const fixtures = await Promise.all(names.map(hasFixtures));
  return names.filter((_, index) => !fixtures[index]);
}

/** Other files in the folder that would be read along with the written ones. */
function filesIn(path: string, folder: string): string[] {
  try {
    return readdirSync(path).filter((name) => /^[^_.].*\.(?:json|ya?ml)$/i.test(name));
  } catch (error) {
    throw misuse(`${folder} is not a folder: ${reasonOf(error)}.`, "Choose an existing folder or a new one.");
  }
}

const jsonOf = ($schema: string | undefined) => (content: object) =>
  `${JSON.stringify({ $schema, ...content }, null, 2)}\n`;

async function yamlOf(schema: string | undefined) {
  const { stringify } = await import("yaml");
  const head = schema === undefined ? "" : `# yaml-language-server: $schema=${schema}\n`;
  // Quote addresses, so every YAML reader treats them as strings.
  return (content: object) => head + stringify(content, { lineWidth: 0 });
}

/** The schema's path for editors, relative to a folder; undefined if the package is not installed above that folder. */
function schemaFrom(path: string): string | undefined {
  for (let folder = path; ; folder = resolve(folder, "..")) {
    const schema = join(folder, "node_modules", "sandglass", FIXTURES_SCHEMA);
    if (existsSync(schema)) return relative(path, schema).replaceAll("\\", "/");
    if (resolve(folder, "..") === folder) return undefined;
  }
}
