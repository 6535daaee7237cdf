import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HAZARDS } from "../../src/check/hazards/index.ts";
import { receiverFile } from "./support/start.ts";

const DOCS = readFileSync(new URL("../../docs/check.md", import.meta.url), "utf8");
const words = (text: string) => text.replace(/\s+/g, " ");

describe("docs/check.md", () => {
  test.each(["express.mjs", "node-http.mjs", "receiver.py", "route.ts"])("has %s as it was tried", (name) => {
    expect(DOCS).toContain(`\n${readFileSync(receiverFile(name), "utf8")}\`\`\`\n`);
  });

  test.each(HAZARDS)("describes $name as the command does", ({ name, title, why, fix }) => {
    expect(DOCS).toContain(`\n### ${name}\n`);
    for (const text of [title, why, fix]) expect(words(DOCS)).toContain(words(text));
  });
});
