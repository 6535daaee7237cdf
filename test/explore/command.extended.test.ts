import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { folderOf, runCli } from "../support/cli.ts";
import { consoleOf, expectLines, readPage, shownIn } from "../support/docs.ts";

describe("sandglass explore --demo", () => {
  it("explore --demo finds the bugs in two shipped handlers, prints each fix, and finds no bugs in the fixed versions", async () => {
    const [shown] = consoleOf(shownIn(readPage("docs/explore.md"), "demo"));
    expect(shown!.command).toBe("npx sandglass explore --demo");
    const { code, stdout, stderr } = await runCli(["explore", "--demo"], { cwd: folderOf() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expectLines(stdout, shown!.printed);
    const [found, fixed, mended] = stdout.split("The fix is one line");
    expect(found).toContain("A paid order ends up cancelled.");
    const [, , file = ""] = /with a bug \((\.\.\/)*(.*)\):/.exec(stdout) ?? [];
    expect(file).toMatch(/fixtures\/demo\/shop\.mjs$/);
    const [, removed = "?", added = "?"] = /^ {2}- (.*)\n {2}\+ (.*)$/m.exec(fixed!) ?? [];
    expect(readFileSync("fixtures/demo/shop.mjs", "utf8").split(removed)).toHaveLength(2);
    expect(added).toContain(removed);
    expect(fixed).toContain("No difference with up to 2 deviations: all 226 schedules tried");
    expect(fixed).toContain("statement 2 is refused by the database");
    expect(mended).toMatch(
      /No difference with up to 1 deviation: 2 events, 4 statements, .*all\s+\d+\s+schedules\s+tried/s,
    );
  });
});
