import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { serveCli } from "../support/built.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";

/** A configuration that leaves a trace each time it is loaded. */
const CODE = `import { writeFileSync } from "node:fs";
writeFileSync("ran", "");
export default { port: 0, seed: "of-the-code" };
`;

const folderWithCode = () => folderOf({ "sandbox.config.mjs": CODE });
const hasRun = (cwd: string) => existsSync(join(cwd, "ran"));

describe("a client command in the folder of a sandbox", () => {
  test.each([[["status"]], [["env"]], [["pay", "coffee"]], [["webhooks"]], [["openapi"]], [["reset"]]])(
    "a client command does not execute the folder's configuration: %s",
    async (args) => {
      const cwd = folderWithCode();
      await runCli(args, { cwd });
      expect(hasRun(cwd)).toBe(false);
    },
  );

  test("a client command finds the folder's sandbox on the port set in the configuration", async () => {
    const cwd = folderWithCode();
    const { cli, url } = await serveCli([], { cwd });
    expect(hasRun(cwd), "start runs it").toBe(true);
    rmSync(join(cwd, "ran"));
    const [status, env, elsewhere] = await Promise.all([
      runCli(["status", "--json"], { cwd }),
      runCli(["env"], { cwd }),
      runCli(["status"], { cwd: folderWithCode() }),
    ]);
    expect(JSON.parse(status.stdout)).toMatchObject({ url, seed: "of-the-code" });
    expect(env.stdout).toContain(`export SANDGLASS_URL='${url}'`);
    expect(elsewhere.stdout).toMatch(
      /^data folder +unknown: sandbox\.config\.mjs is code, and was not run$/m,
    );
    expect(elsewhere.stdout).not.toContain(url);
    expect(hasRun(cwd)).toBe(false);

    const second = await serveCli([], { cwd });
    expectMisuse(await runCli(["status"], { cwd }), /2 sandboxes are running in this folder: http/);
    second.cli.kill("SIGTERM");
    await second.cli.ended;
    expect((await runCli(["status", "--json"], { cwd })).code).toBe(0);

    cli.kill("SIGKILL");
    await cli.ended;
    expect(await runCli(["status"], { cwd }), "a killed one is not found").toMatchObject({
      code: 2,
      stderr: expect.not.stringContaining(url),
    });
  });
});
