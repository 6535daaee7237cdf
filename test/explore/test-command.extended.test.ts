import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { correctShop } from "./handlers.ts";
import type { Overrides } from "./server.ts";
import { project } from "./test-command.ts";

describe("sandglass test", () => {
  it("sandglass test exits 3 if nothing can be explored, and still reports the check", async () => {
    const nothing: Overrides = { state: (response) => Boolean(response.end("{}")) };
    const { cwd, test } = await project(correctShop(), nothing);
    const { code, stdout } = await test();
    expect(code).toBe(3);
    expect(stdout).toMatch(/^Nothing changed .*\n\nCheck\n[\s\S]*1 unknown[\s\S]*\n\nExplore\n/);
    expect(readFileSync(join(cwd, "sandglass/findings/report.html"), "utf8")).toContain(
      "<h2>Not explored</h2>",
    );
  });
});
