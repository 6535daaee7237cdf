import { expect, test } from "vitest";
import { blocksOf, consoleOf, expectLines, readPage, shownIn } from "../support/docs.ts";
import { runShell } from "../support/project.ts";

test("explore --demo prints the output shown in docs/explore.md", async () => {
  const page = readPage("docs/explore.md");
  const [{ command, printed }] = consoleOf(shownIn(page, "demo")) as [{ command: string; printed: string }];
  const unindented = (text: string) => text.replace(/^ +/gm, "");
  const [handler] = blocksOf(page, "js");
  expect(unindented(readPage("fixtures/demo/shop.mjs"))).toContain(unindented(handler!));
  expectLines((await runShell(command, { url: "" })).stdout, printed);
});
