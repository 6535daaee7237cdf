import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startUpstream } from "../support/upstream.ts";
import { runWarmCli } from "../support/warm-cli.ts";

const FAILS = `import { defineScenario } from "sandglass";
export default defineScenario({ name: "fails", title: "It fails", run: ({ expect }) => expect(1).toBe(2) });
`;

const ADDRESS = `0x${"0".repeat(40)}`;

/** Creates a repository with a symbolic link, and the folder outside that the link points to. */
function repository(link: string) {
  const outside = folderOf({ "precious.txt": "as it was" });
  const cwd = folderOf({ "fails.mjs": FAILS });
  symlinkSync(outside, join(cwd, link));
  return { cwd, left: () => readdirSync(outside) };
}

describe("symbolic links in a repository", () => {
  test("sandglass run never saves a failed world through a symbolic link in the repository", async () => {
    const { cwd, left } = repository("sandglass-failed");
    const { code, stderr } = await runWarmCli(["run", "fails.mjs"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(
      "The world could not be saved to sandglass-failed/fails.sandglass: sandglass-failed is a symbolic link, which could point anywhere",
    );
    expect(left()).toEqual(["precious.txt"]);
    expectMisuse(
      await runWarmCli(["run", "fails.mjs", "--keep", "sandglass-failed/below"], { cwd }),
      /Cannot save to sandglass-failed\/below: sandglass-failed is a symbolic link/,
    );
  });

  test.each(["--junit", "--html"])(
    "sandglass run never writes a report through a link: %s",
    async (option) => {
      const { cwd, left } = repository("reports");
      expectMisuse(
        await runWarmCli(["run", "fails.mjs", option, "reports/precious.txt"], { cwd }),
        /Cannot write reports\/precious\.txt: reports is a symbolic link, which could point anywhere\./,
      );
      symlinkSync(join(cwd, "reports/precious.txt"), join(cwd, "report"));
      expectMisuse(
        await runWarmCli(["run", "fails.mjs", option, "report"], { cwd }),
        /Cannot write report: report is a symbolic link/,
      );
      expect(left()).toEqual(["precious.txt"]);
    },
  );

  test("record never writes recordings through a symbolic link", async () => {
    const { cwd, left } = repository("recordings");
    const token = {
      name: "A",
      symbol: "A",
      decimals: "6",
      type: "ERC-20",
      exchange_rate: null,
      total_supply: "1",
      address: ADDRESS,
      holders: 1,
    };
    const item = { value: "1", token_id: null, token, token_instance: null };
    const upstream = await startUpstream(() => ({ body: { items: [item], next_page_params: null } }));
    const record = (...out: string[]) =>
      runCli(
        [
          "record",
          "--explorer-url",
          upstream.url,
          "--chain",
          "1",
          "--address",
          `0x${"0".repeat(40)}`,
          ...out,
        ],
        { cwd },
      );
    expectMisuse(await record(), /Cannot save to recordings: recordings is a symbolic link/);
    expectMisuse(
      await record("--out", "recordings/below"),
      /Cannot save to recordings\/below: recordings is a symbolic link/,
    );
    expect(upstream.asked).toEqual([]);
    mkdirSync(join(cwd, "own"));
    symlinkSync(join(cwd, "recordings/new.json"), join(cwd, "own/explorer-1.json"));
    const { code, stderr } = await record("--out", "own");
    expect(code).toBe(2);
    expect(stderr).toContain("Cannot write own/explorer-1.json: own/explorer-1.json is a symbolic link");
    expect(left()).toEqual(["precious.txt"]);
  });

  test("init never writes files through a symbolic link", async () => {
    const { cwd, left } = repository("scenarios");
    const init = await runCli(["init"], { cwd });
    expect(init.code).toBe(2);
    expect(init.stderr).toContain("scenarios is a symbolic link");
    expect(left()).toEqual(["precious.txt"]);
  });

  test.each(["sandglass", "sandglass/findings", "sandglass/findings/report.html"])(
    "the page does not serve a project's report through the link %s",
    async (link) => {
      const outside = folderOf({ "report.html": "precious" });
      mkdirSync(join(outside, "findings"));
      writeFileSync(join(outside, "findings/report.html"), "precious");
      const cwd = folderOf();
      mkdirSync(dirname(join(cwd, link)), { recursive: true });
      symlinkSync(link.endsWith(".html") ? join(outside, "report.html") : outside, join(cwd, link));
      const here = vi.spyOn(process, "cwd").mockReturnValue(cwd);
      onTestFinished(() => here.mockRestore());
      const { control } = await startSandbox();
      const { status, text } = await control("GET", "/report");
      expect([status, text]).toEqual([
        400,
        expect.stringContaining(`Cannot read sandglass/findings/report.html: ${link} is a symbolic link`),
      ]);
    },
  );

  test.each(["/dev/zero", "part.txt"])("explore --merge rejects a part that links to %s", async (target) => {
    const cwd = folderOf({ "part.txt": "{}" });
    mkdirSync(join(cwd, "parts"));
    symlinkSync(resolve(cwd, target), join(cwd, "parts/1.json"));
    expectMisuse(
      await runCli(["explore", "--merge", "parts"], { cwd }),
      /Cannot read parts\/1\.json: 1\.json is a symbolic link/,
    );
  });
});

test.skipIf(process.platform === "win32")(
  "sandglass run saves a failed world with permissions for this user only, even in an existing folder",
  async () => {
    const cwd = folderOf({ "fails.mjs": FAILS });
    const failed = join(cwd, "sandglass-failed");
    const modes = () =>
      ["", "fails.sandglass", "fails.html"].map((name) =>
        (statSync(join(failed, name)).mode & 0o777).toString(8),
      );
    await runWarmCli(["run", "fails.mjs"], { cwd });
    expect(modes()).toEqual(["700", "600", "600"]);
    chmodSync(failed, 0o755);
    chmodSync(join(failed, "fails.html"), 0o644);
    writeFileSync(join(failed, "older.html"), "", { mode: 0o644 });
    await runWarmCli(["run", "fails.mjs"], { cwd });
    expect(modes()).toEqual(["700", "600", "600"]);
    expect(statSync(join(failed, "older.html")).mode & 0o777).toBe(0o600);
  },
);
