import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readSender } from "../../src/senders/files.ts";
import { termsOf } from "../../src/trial/check/terms.ts";
import { HAZARD_NAMES, HAZARDS, hazardsOf } from "../../src/trial/hazards/index.ts";
import { receiverFile } from "./support/start.ts";

const page = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
const words = (text: string) => text.replace(/\s+/g, " ");

const senders = await Promise.all(["standard-webhooks", "shopify"].map((name) => readSender(name)));
const OF_SENDERS = senders.flatMap((sender) => hazardsOf(termsOf(sender, sender.events)).hazards);
const DESCRIBED = HAZARD_NAMES.map((name) => [...HAZARDS, ...OF_SENDERS].find((one) => one.name === name)!);

describe("the sandglass check documentation", () => {
  test.each(["express.mjs", "node-http.mjs", "receiver.py", "route.ts"])(
    "the check documentation shows the tested source of %s",
    (name) => {
      expect(page("handlers")).toContain(`\n${readFileSync(receiverFile(name), "utf8")}\`\`\`\n`);
    },
  );

  test.each(DESCRIBED)(
    "the documentation describes the hazard $name in the same words as check",
    ({ name, title, why, fix }) => {
      const hazards = page("hazards");
      const missing = [title, why, fix].filter((text) => !words(hazards).includes(words(text)));
      expect({ heading: hazards.includes(`\n### ${name}\n`), missing }).toEqual({
        heading: true,
        missing: [],
      });
    },
  );
});
