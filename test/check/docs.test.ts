import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HAZARDS, hazardsOf } from "../../src/check/hazards/index.ts";
import { termsOf } from "../../src/check/terms.ts";
import { readSender } from "../../src/senders/files.ts";
import { receiverFile } from "./support/start.ts";

const page = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
const words = (text: string) => text.replace(/\s+/g, " ");

const standard = await readSender("standard-webhooks");
const OF_SENDERS = hazardsOf(termsOf(standard, standard.events)).hazards.filter(
  ({ name }) => !HAZARDS.some((hazard) => hazard.name === name),
);

describe("the documentation of check", () => {
  test.each(["express.mjs", "node-http.mjs", "receiver.py", "route.ts"])("has %s as it was tried", (name) => {
    expect(page("handlers")).toContain(`\n${readFileSync(receiverFile(name), "utf8")}\`\`\`\n`);
  });

  test.each([...HAZARDS, ...OF_SENDERS])(
    "describes $name as the command does",
    ({ name, title, why, fix }) => {
      const hazards = page("hazards");
      expect(hazards).toContain(`\n### ${name}\n`);
      for (const text of [title, why, fix]) expect(words(hazards)).toContain(words(text));
    },
  );
});
