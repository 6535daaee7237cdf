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
const [platform, all] = [HAZARDS.length, HAZARD_NAMES.length];

describe("the documentation of check", () => {
  test.each(["express.mjs", "node-http.mjs", "receiver.py", "route.ts"])("has %s as it was tried", (name) => {
    expect(page("handlers")).toContain(`\n${readFileSync(receiverFile(name), "utf8")}\`\`\`\n`);
  });

  test.each([
    ["README", `Check](check.md) | checking your webhook handler against ${platform} hazards`],
    ["README", `the ${platform} hazards of the platform and ${all - platform} that other senders can cause`],
    ["../README", `passes all ${platform} checks of \`sandglass check\``],
    ["explore", `asks ${platform} questions`],
    ["hazards", `The ${all} hazards that`],
    ["hazards", `The platform can cause ${platform} of them.`],
  ])("has the number of hazards in %s: %s", (name, text) => {
    expect(words(page(name))).toContain(text);
  });

  test("counts every hazard in one of its kinds, beside the valid event", () => {
    const kinds = /They are of .*? kinds:(.*?)A valid event comes first/s.exec(page("check"))![1]!;
    const counts = [...kinds.matchAll(/^- \*\*.*?\*\* \((\d+)\)/gm)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all - 1);
  });

  test.each(DESCRIBED)("describes $name as the command does", ({ name, title, why, fix }) => {
    const hazards = page("hazards");
    expect(hazards).toContain(`\n### ${name}\n`);
    for (const text of [title, why, fix]) expect(words(hazards)).toContain(words(text));
  });
});
