import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runChild } from "../support/child.ts";
import { blocksOf, readPage } from "../support/docs.ts";
import { projectFolder } from "../support/project.ts";

const PAGE = readPage("docs/own-data.md");

/** The files shown on the page: code blocks whose first line is a comment with a path. */
const FILES = ["ts", "js", "yaml"]
  .flatMap((language) => blocksOf(PAGE, language))
  .flatMap((block) => {
    const path = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(block)?.[1];
    return path === undefined ? [] : [[path, block] as const];
  });

test("following docs/own-data.md produces a repository whose data, scenario and CI work", async () => {
  const folder = projectFolder("sandglass");
  for (const [path, text] of FILES) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  expect(FILES.map(([path]) => path).sort()).toEqual([
    "check.mjs",
    "fixtures/ada.yaml",
    "fixtures/shop.yaml",
    "sandbox.config.ts",
    "scenarios/second-order.ts",
  ]);
  const env = {
    ...process.env,
    SANDGLASS_CACHE: join(folder, "cache"),
    PATH: `${folder}/node_modules/.bin:${process.env.PATH}`,
  };
  // Replaces npx, which takes almost a second to start.
  const npx = 'npx() { local name=$1; shift; "node_modules/.bin/$name" "$@"; }\n';
  const script = blocksOf(PAGE, "sh").join("").replaceAll("-- npx ", "-- ");
  const ended = await runChild("bash", ["-euc", npx + script], { cwd: folder, env });
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stdout).toMatch(/Corner Shop/);
  expect(ended.stdout).toMatch(/^1 passed, /m);
  expect(ended.stdout.match(/^2 payments$/gm)).toHaveLength(2);
  expect(ended.stdout).toMatch(/Wrote \d+ rows in \d+ files to exported\./);
  const exported = JSON.parse(readFileSync(join(folder, "exported/payment-links.json"), "utf8"));
  expect(exported.$schema).toBe("../node_modules/sandglass/dist/fixtures.schema.json");
  expect(exported.payment_links.map((link: { short_code: string }) => link.short_code)).toContain("teapot");
});

test("the errors shown in docs/own-data.md match the printed ones", async () => {
  const folder = projectFolder("sandglass");
  for (const [path, text] of FILES) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    const wrong = text
      .replace("product: Green tea", "product: Gren tea")
      .replace("expires_at: -30d", "expires_at: soon");
    writeFileSync(join(folder, path), wrong);
  }
  const { stderr, code } = await runChild(join(folder, "node_modules/.bin/sandglass"), ["--port", "0"], {
    cwd: folder,
    env: process.env,
  });
  expect(code).toBe(2);
  const [shown] = blocksOf(PAGE, "text");
  expect(stderr).toContain(shown!);
});
