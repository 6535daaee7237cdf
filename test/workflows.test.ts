import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import packageJson from "../package.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const read = (file: string) => readFileSync(ROOT + file, "utf8");
const WORKFLOWS = globSync("{,examples/*/}.github/workflows/*", { cwd: ROOT });

test.each([...WORKFLOWS, "fixtures/init/workflow.template", "docs/ci.md"])(
  "%s pins third-party actions to a commit, with the version next to it",
  (file) => {
    const used = [...read(file).matchAll(/uses: (?!\.\/)(.+)/g)].map(([, action]) => action!);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  },
);

test("Dependabot does not ignore a version in use", () => {
  const { updates } = parse(read(".github/dependabot.yml"));
  const ignored: { "dependency-name": keyof typeof packageJson.devDependencies; versions: string[] }[] =
    updates.flatMap(({ ignore = [] }: { ignore?: object[] }) => ignore);
  expect(ignored.length).toBeGreaterThan(0);
  for (const { "dependency-name": name, versions } of ignored)
    for (const range of versions) {
      const [, first] = /^>=(\d+)$/.exec(range)!;
      const used = Number(/\d+/.exec(packageJson.devDependencies[name])![0]);
      expect(used, name).toBeLessThan(Number(first));
    }
});
