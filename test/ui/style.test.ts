import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const sheets = globSync("ui/**/*.css")
  .filter((file) => !file.endsWith("tokens.css"))
  .map((file) => [file, readFileSync(file, "utf8")] as const);

/** Sizes that are written out instead of using a token from ui/style/tokens.css. */
const written = (property: string, allowed: RegExp): string[] =>
  sheets.flatMap(([file, text]) =>
    [...text.matchAll(new RegExp(`^\\s*${property}: (.+);`, "gm"))]
      .filter(([, value]) => !allowed.test(value!))
      .map(([, value]) => `${file}: ${property}: ${value}`),
  );

test("all text on the page uses sizes from one scale", () => {
  expect(sheets.length).toBeGreaterThan(20);
  expect(written("font-size", /^(var\(--text-\w+\)|inherit|0)$/)).toEqual([]);
});

test("all corners on the page use the radius tokens", () => {
  expect(written("border-radius", /^(var\(--(round|round-small|pill)\)|50%|1px|0)( |$)/)).toEqual([]);
});

const matches = (text: string, pattern: RegExp): Set<string> =>
  new Set([...text.matchAll(pattern)].map(([, name]) => name!));
const usedIn = (text: string) => matches(text, /var\((--[\w-]+)/g);

const read = (...patterns: string[]): string =>
  globSync(patterns)
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

/** Colours and sizes that are declared in a style sheet, in an attribute, or by a script. */
const declaredIn = (text: string) => matches(text, /(?<![\w-])(--[\w-]+)(?:"?:|",\s)/g);

test("the style sheets use every token", () => {
  const used = usedIn(read("ui/**/*.{css,ts,tsx}"));
  const tokens = matches(read("ui/style/tokens.css"), /^\s*(--[\w-]+):/gm);
  expect([...tokens].filter((name) => !used.has(name))).toEqual([]);
});

test.each([
  ["the page", ["ui/**/*.{css,ts,tsx}"]],
  ["hosted pages", ["src/html/*.ts", "src/payments/hosted/*.ts"]],
  ["the reference", ["src/html/*.ts", "src/html/reference/*.ts"]],
  ["reports", ["src/html/*.ts", "src/reports/html/*.ts"]],
  ["the page that opens a shared sandbox", ["src/html/*.ts", "src/server/share-script.ts"]],
])("each colour and size used by %s is declared", (_page, patterns) => {
  const text = read(...patterns);
  const declared = declaredIn(text);
  expect(usedIn(text).size).toBeGreaterThan(10);
  expect([...usedIn(text)].filter((name) => !declared.has(name))).toEqual([]);
});

test("no style sheet has more than 300 lines", () => {
  expect(sheets.filter(([, text]) => text.split("\n").length > 301).map(([file]) => file)).toEqual([]);
});
