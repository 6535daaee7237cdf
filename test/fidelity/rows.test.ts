import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/**
 * Every row of docs/fidelity.md is held by a test that carries its name at the end of its title:
 * `[fidelity: Heading › Row]`, several rows separated by ` · `. A describe may carry it for all of its tests.
 */
const TESTS = new URL("../", import.meta.url);
const page = readFileSync(new URL("../../docs/fidelity.md", import.meta.url), "utf8");

function readRows(markdown: string): string[] {
  let heading = "";
  return markdown.split("\n").flatMap((line) => {
    heading = /^### (.+)$/.exec(line)?.[1] ?? heading;
    const [, topic] = /^\| ([^|]+) \|/.exec(line) ?? [];
    return topic === undefined || topic === "Topic" ? [] : [`${heading} › ${topic.replaceAll("`", "")}`];
  });
}

/** The rows that the titles of a file name. A skipped or unfinished test holds nothing, so `test.skip(` is no match. */
function readTags(source: string): string[] {
  const title = /(?:\b(?:test|it|describe)|\))\(\s*(["'`])(?:(?!\1).)+ \[fidelity: ([^\]]+)\]\1,/g;
  return [...source.matchAll(title)].flatMap(([, , rows]) => rows!.split(" · "));
}

const sources = readdirSync(TESTS, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.test\.tsx?$/.test(file) && file !== "fidelity/rows.test.ts")
  .map((file) => ({ file, source: readFileSync(new URL(file, TESTS), "utf8") }));
const rows = readRows(page);

test("each row has a name of its own", () => {
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
});

test("each row is held by a test", () => {
  const held = new Set(sources.flatMap(({ source }) => readTags(source)));
  expect(rows.filter((row) => !held.has(row))).toEqual([]);
});

test("each title names rows that exist, at its end", () => {
  for (const { file, source } of sources) {
    const tags = readTags(source);
    expect(
      tags.filter((tag) => !rows.includes(tag)),
      file,
    ).toEqual([]);
    const written = [...source.matchAll(/\[fidelity: ([^\]]*)/g)].flatMap(([, tag]) => tag!.split(" · "));
    expect(tags, `${file} has a name of a row in another place than the end of a title`).toEqual(written);
  }
});
