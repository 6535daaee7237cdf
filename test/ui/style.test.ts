import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const sheets = globSync("ui/**/*.css")
  .filter((file) => !file.endsWith("tokens.css"))
  .map((file) => [file, readFileSync(file, "utf8")] as const);

/** Sizes that are written out in place of a token of ui/style/tokens.css. */
const written = (property: string, allowed: RegExp): string[] =>
  sheets.flatMap(([file, text]) =>
    [...text.matchAll(new RegExp(`^\\s*${property}: (.+);`, "gm"))]
      .filter(([, value]) => !allowed.test(value!))
      .map(([, value]) => `${file}: ${property}: ${value}`),
  );

test("text has the sizes of one scale", () => {
  expect(sheets.length).toBeGreaterThan(20);
  expect(written("font-size", /^(var\(--text-\w+\)|inherit|0)$/)).toEqual([]);
});

test("corners have one radius", () => {
  expect(written("border-radius", /^(var\(--(round|round-small|pill)\)|50%|1px|0)( |$)/)).toEqual([]);
});

test("every token is used, and every token that is used is declared", () => {
  const tokens = readFileSync("ui/style/tokens.css", "utf8");
  const declared = new Set([...tokens.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name!));
  const used = new Set(
    [tokens, ...sheets.map(([, text]) => text)].flatMap((text) =>
      [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!),
    ),
  );
  expect([...declared].filter((name) => !used.has(name))).toEqual([]);
  expect(
    [...used].filter((name) => /^--(text|round|control|code|panel)/.test(name) && !declared.has(name)),
  ).toEqual([]);
});

test("no sheet is long", () => {
  expect(sheets.filter(([, text]) => text.split("\n").length > 301).map(([file]) => file)).toEqual([]);
});
