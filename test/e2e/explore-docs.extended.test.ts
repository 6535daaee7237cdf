import { expect, test } from "vitest";
import { blocksOf, consoleOf, expectLines, readPage, shownIn } from "../support/docs.ts";
import { runShell } from "../support/project.ts";

test("the demo prints what the README and docs/explore.md show of it", async () => {
  const [readme, page] = ["README.md", "docs/explore.md"].map(
    (path) => consoleOf(shownIn(readPage(path), "demo"))[0]!,
  );
  expect(page!.command).toBe(readme!.command);
  const unindented = (text: string) => text.replace(/^ +/gm, "");
  const [handler] = blocksOf(readPage("docs/explore.md"), "js");
  expect(unindented(readPage("fixtures/demo/shop.mjs"))).toContain(unindented(handler!));
  const { stdout } = await runShell(readme!.command, { url: "" });
  expectLines(stdout, readme!.printed);
  expectLines(stdout, page!.printed);
});
