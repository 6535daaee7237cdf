import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SESSION_STATUSES, TRANSACTION_STATUSES } from "../../src/payments/words.ts";

/**
 * Every row of docs/fidelity.md must be covered by a test whose title ends with the row's name: `[fidelity: Heading ›
 * Row]`, with several rows separated by ` · `. A describe may carry the tag for all of its tests. The tag alone is not
 * enough: the test must make assertions, and the code that the row mentions must appear in the test, or in declarations
 * that the file shares.
 */
const TESTS = new URL("../", import.meta.url);
const page = readFileSync(new URL("../../docs/fidelity.md", import.meta.url), "utf8");

interface Row {
  name: string;
  /** The text of the row. */
  sentence: string;
}

function readRows(markdown: string): Row[] {
  let heading = "";
  return markdown.split("\n").flatMap((line) => {
    heading = /^### (.+)$/.exec(line)?.[1] ?? heading;
    const [, topic, sentence = ""] = /^\| ([^|]+) \| ([^|]+)/.exec(line) ?? [];
    if (topic === undefined || topic === "Topic") return [];
    return [{ name: `${heading} › ${topic.replaceAll("`", "")}`, sentence }];
  });
}

/** The code that a sentence mentions: fields, headers, error codes and paths. */
const namesIn = (sentence: string): string[] =>
  [...sentence.matchAll(/`([^`…]+)`/g)]
    .flatMap(([, code]) => code!.match(/[A-Za-z][\w-]*\w/g) ?? [])
    .filter((name) => !/^(?:GET|POST|PUT|PATCH|DELETE)$/.test(name));

/** Normalizes the spelling of a name: `data-dir`, `dataDir`. */
const spelt = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "");

/** The tests of a file, where a describe counts as one, and the rest of the file. */
function readStatements(source: string) {
  const statements: string[] = [];
  const starts = [...source.matchAll(/^( *)(?:test|it|describe)\b/gm)];
  let beside = "";
  let read = 0;
  for (const { index, 1: indent } of starts) {
    const end = new RegExp(`^${indent}[)}]`, "gm");
    end.lastIndex = index;
    const until = end.exec(source)?.index ?? source.length;
    statements.push(source.slice(index, until));
    if (source.startsWith("describe", index + indent!.length) || index < read) continue;
    beside += source.slice(read, index);
    read = until;
  }
  return { statements, beside: beside + source.slice(read) };
}

/** The titles in a source file. A skipped or unfinished test covers nothing, so titles of `test.skip(` do not count. */
const readTitles = (source: string): string[] =>
  [...source.matchAll(/(?:\b(?:test|it|describe)|\))\(\s*(["'`])((?:(?!\1).)+)\1,/g)].map(
    ([, , title]) => title!,
  );

/** The rows that a title refers to. */
const tagsOf = (title: string): string[] => / \[fidelity: ([^\]]+)\]$/.exec(title)?.[1]?.split(" · ") ?? [];

const readTags = (source: string): string[] => readTitles(source).flatMap(tagsOf);

const sources = readdirSync(TESTS, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.test\.tsx?$/.test(file) && file !== "fidelity/rows.test.ts")
  .map((file) => ({ file, source: readFileSync(new URL(file, TESTS), "utf8") }));
const rows = readRows(page);
const names = rows.map(({ name }) => name);

test("each row of docs/fidelity.md has a unique name", () => {
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("each row of docs/fidelity.md has a test", () => {
  const held = new Set(sources.flatMap(({ source }) => readTags(source)));
  expect(names.filter((name) => !held.has(name))).toEqual([]);
});

test("each row's tests contain an assertion and the code that the row names", () => {
  const texts = new Map<string, string>();
  for (const { file, source } of sources) {
    const { statements, beside } = readStatements(source);
    for (const statement of statements) {
      const tags = tagsOf(readTitles(statement)[0] ?? "");
      if (tags.length > 0) expect(statement, `${file}: ${tags}`).toMatch(/\bexpect/);
      for (const tag of tags) texts.set(tag, `${texts.get(tag) ?? ""}${spelt(statement)} ${spelt(beside)} `);
    }
  }
  const missing = rows.flatMap(({ name, sentence }) =>
    namesIn(sentence)
      .filter((word) => !texts.get(name)?.includes(spelt(word)))
      .map((word) => `${name}: ${word}`),
  );
  expect(missing).toEqual([]);
});

test("each fidelity tag names an existing row and ends its test's title", () => {
  for (const { file, source } of sources) {
    const tags = readTags(source);
    expect(
      tags.filter((tag) => !names.includes(tag)),
      file,
    ).toEqual([]);
    const written = [...source.matchAll(/\[fidelity: ([^\]]*)/g)].flatMap(([, tag]) => tag!.split(" · "));
    expect(tags, `${file} has a name of a row in another place than the end of a title`).toEqual(written);
  }
});

test.each([
  ["Sessions", SESSION_STATUSES],
  ["Transactions", TRANSACTION_STATUSES],
])("the %s row of docs/fidelity.md lists every status", (topic, statuses) => {
  const named = readRows(page)
    .filter(({ name }) => name.endsWith(` › ${topic}`))
    .flatMap(({ sentence }) => namesIn(sentence));
  expect(named).toEqual(expect.arrayContaining([...statuses]));
});
