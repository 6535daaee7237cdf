import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { plain } from "./watch.ts";

describe("sandglass run --watch", () => {
  it("sandglass run --watch runs only the new file when one is added, but everything when the configuration or the --from folder changes", async () => {
    const cwd = folderOf({ "sandbox.config.json": '{"scenarios": "."}', "one.mjs": plain("one") });
    mkdirSync(join(cwd, "shop"));
    writeFileSync(join(cwd, "shop/products.yaml"), "products: [{name: Tea}]\n");
    const cli = startCli(["run", "--from", "shop", "--watch"], { cwd });
    await cli.saw(/1 passed[\s\S]*Watching 1 file\./);
    writeFileSync(join(cwd, "two.mjs"), plain("two"));
    await cli.saw(/passed {2}two[\s\S]*1 passed/);
    await cli.saw(/Watching 2 files\./);
    rmSync(join(cwd, "one.mjs"));
    await cli.saw(/one\.mjs was deleted, so it no longer runs\./);
    writeFileSync(join(cwd, "sandbox.config.json"), '{"scenarios": ".", "seed": "empty"}');
    await cli.saw(/(?:passed {2}two[\s\S]*){2}Watching 1 file\./);
    writeFileSync(join(cwd, "shop/products.yaml"), "products: [{name: Coffee}]\n");
    await cli.saw(/(?:passed {2}two[\s\S]*){3}/);
    cli.kill("SIGINT");
    const { code, stdout } = await cli.ended;
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/passed {2}one[\s\S]*passed {2}one/);
  });
});
