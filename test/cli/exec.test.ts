import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBuiltCli, startCli } from "../support/built.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";
import { runWarmCli } from "../support/warm-cli.ts";

const twice = (text: string): [string, string] => [text, text];
const hasProgram = (name: string) => spawnSync(name, ["--version"]).status === 0;

/** A script for the command to run. Its output is passed through. */
const script = (text: string) => ({ "run.mjs": text });
const RUN = ["--", process.execPath, "run.mjs"];
/** The command writes directly to the output of the exec process. */
const exec = (cwd: string, ...options: string[]) => runBuiltCli(["exec", ...options, ...RUN], { cwd });
const execSilent = (cwd: string, ...options: string[]) => runWarmCli(["exec", ...options, ...RUN], { cwd });

describe("sandglass exec", () => {
  test("exec passes the sandbox to its command in environment variables, and stops the sandbox afterwards", async () => {
    const folder = folderOf(
      script(`
        const { SANDGLASS_URL, SANDGLASS_PLATFORM_URL, SANDGLASS_DATA_URL, SANDGLASS_GAME_URL, SANDGLASS_API_KEY } = process.env;
        const headers = { authorization: "Bearer " + SANDGLASS_API_KEY };
        const urls = [SANDGLASS_PLATFORM_URL + "/api/v1/payment-links", SANDGLASS_DATA_URL + "/insights/v1/tokens/lookup?symbol=USDC", SANDGLASS_GAME_URL + "/activities"];
        const answers = await Promise.all(urls.map((url) => fetch(url, { headers })));
        const { clock } = await (await fetch(SANDGLASS_URL + "/_sandbox/status")).json();
        const inbox = await (await fetch(SANDGLASS_URL + "/_sandbox/inbox/shop")).json();
        const statuses = answers.map(({ status }) => status);
        console.log(JSON.stringify([SANDGLASS_URL, statuses, clock.mode, clock.now >= "2026-01-15T11:00:00", inbox.data.length]));
      `),
    );
    const { code, stdout, stderr } = await exec(folder, "--scenario", "retry-and-recover");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [url, ...found] = JSON.parse(stdout);
    expect(found).toEqual([[200, 200, 200], "live", true, 1]);
    await expect(fetch(url)).rejects.toThrow();
    expect(existsSync(join(folder, "sandglass-failed"))).toBe(false);
  });

  test("exec exits with its command's exit code, and saves the world if the command fails", async () => {
    const folder = folderOf(
      script(`
        const headers = { authorization: "Bearer " + process.env.SANDGLASS_API_KEY, "content-type": "application/json" };
        const body = JSON.stringify({ name: "Left behind", amount: "1" });
        await fetch(process.env.SANDGLASS_PLATFORM_URL + "/api/v1/payment-links", { method: "POST", headers, body });
        process.exit(7);
      `),
    );
    const { code, stderr } = await execSilent(folder, "--seed", "empty", "--keep", "artifacts");
    expect(code).toBe(7);
    expect(stderr).toContain("artifacts/world.sandglass");
    expect(readFileSync(join(folder, "artifacts/timeline.html"), "utf8")).toContain("exited with code 7");

    const sandbox = await startSandbox();
    const body = readFileSync(join(folder, "artifacts/world.sandglass"));
    const headers = { "content-type": "application/octet-stream" };
    await sandbox.call("POST", "/_sandbox/snapshots/upload?name=failed", { body, headers });
    await sandbox.control("POST", "/snapshots/failed/restore");
    const links = (await sandbox.api("GET", "/payment-links")).body.data;
    expect(links.map(({ name }: { name: string }) => name)).toEqual(["Left behind"]);
  });

  test("exec does not run its command if the folder for failures cannot be created", async () => {
    const folder = folderOf({ ...script("process.exit(7);"), note: "" });
    const { code, stderr } = await execSilent(folder, "--keep", "note/failed");
    expect(code).toBe(2);
    expect(stderr).toMatch(/Cannot save to note\/failed: .*note is not a folder\.\n.*--keep/);
  });

  test("exec does not run its command if the scenario given with --scenario fails or does not exist", async () => {
    const failing = { name: "failing", title: "Fails" };
    const folder = folderOf({
      ...script('import { writeFileSync } from "node:fs";\nwriteFileSync("ran", "");'),
      "failing.mjs": `export default { ...${JSON.stringify(failing)}, run({ expect }) { expect(1).toBe(2); } };`,
    });
    const failed = await execSilent(folder, "--scenario", "./failing.mjs");
    const unknown = await execSilent(folder, "--scenario", "no-such");
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(existsSync(join(folder, "ran"))).toBe(false);
    expect(failed.stderr).toContain("failing.mjs:1:");
    expect(existsSync(join(folder, "sandglass-failed/timeline.html"))).toBe(true);
    expectMisuse(unknown, /no scenario 'no-such'/);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGKILL", 137],
  ])(
    "exec exits with 128 plus the signal number if its command is killed by %s",
    async (signal, expected) => {
      const folder = folderOf(script(`process.kill(process.pid, "${signal}"); setInterval(() => {}, 1000);`));
      expect((await execSilent(folder, "--seed", "empty")).code).toBe(expected);
    },
  );

  test.each(["SIGTERM", "SIGINT"] as const)(
    "exec forwards %s and waits for its command to exit",
    async (signal) => {
      const folder = folderOf(
        script(`
        process.on("${signal}", () => { console.log("told"); process.exit(3); });
        setInterval(() => {}, 1000);
        console.log("waiting " + process.pid);
      `),
      );
      const cli = startCli(["exec", "--seed", "empty", "--", process.execPath, "run.mjs"], { cwd: folder });
      const [, pid] = await cli.saw(/waiting (\d+)/);
      cli.kill(signal);
      const { code, stdout } = await cli.ended;
      expect(stdout).toContain("told");
      expect(code).toBe(3);
      expect(() => process.kill(Number(pid), 0)).toThrow(/ESRCH/);
    },
  );
});

test("exec forwards a signal that arrives right after its command starts", async () => {
  const script = 'trap "exit 3" TERM; kill -TERM $PPID; while :; do sleep 0.05; done';
  const args = ["exec", "--seed", "empty", "--", "sh", "-c", script];
  const ends = Array.from({ length: 4 }, () => runBuiltCli(args, { cwd: folderOf() }));
  for (const { code } of await Promise.all(ends)) expect(code).toBe(3);
});

describe("invalid uses of sandglass exec", () => {
  test.each([
    ["a missing command", ["exec"], /missing required argument/i],
    [
      "a command that does not exist",
      ["exec", "--", "no-such-command-here"],
      /Cannot run no-such-command-here/,
    ],
    ["an invalid option", ["exec", "--rate", "fast", "--", "true"], /--rate must be/],
  ])("exec rejects %s", async (_what, args, message) => {
    expectMisuse(await runCli(args, { cwd: folderOf() }), message);
  });
});

describe("NO_PROXY for commands behind a proxy", () => {
  const LOCAL = "127.0.0.1,localhost,::1";
  const names = ["NO_PROXY", "no_proxy"] as const;
  const proxied = { HTTP_PROXY: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1" };
  const unset = { NO_PROXY: "", no_proxy: "" };

  test.each<[what: string, given: Record<string, string>, upper: string, lower: string]>([
    ["names this machine", {}, LOCAL, LOCAL],
    [
      "keeps the existing hosts in both variables",
      { NO_PROXY: "corp.example, 10.0.0.0/8" },
      ...twice(`corp.example, 10.0.0.0/8,${LOCAL}`),
    ],
    [
      "keeps a different value for each variable",
      { NO_PROXY: "a.example", no_proxy: "b.example" },
      `a.example,${LOCAL}`,
      `b.example,${LOCAL}`,
    ],
    ["lists no host twice", { no_proxy: "LOCALHOST,127.0.0.1," }, ...twice("LOCALHOST,127.0.0.1,::1")],
    ["keeps an asterisk, which matches every host", { NO_PROXY: "*" }, "*", "*"],
  ])("sandglass env prints a NO_PROXY that %s", async (_what, given, upper, lower) => {
    const env = { ...unset, ...given };
    const sandbox = await startSandbox();
    const printed = await runCli(["env", "--json"], { env: { ...env, SANDGLASS_URL: sandbox.url } });
    expect(names.map((name) => JSON.parse(printed.stdout)[name])).toEqual([upper, lower]);
  });

  const CALLS = {
    curl: 'curl --silent --fail "$SANDGLASS_URL/_sandbox/clock"',
    python3: `python3 -c 'import os, urllib.request; print(urllib.request.urlopen(os.environ["SANDGLASS_URL"] + "/_sandbox/clock").read())'`,
  };
  test("exec sets NO_PROXY as sandglass env does, so curl and Python bypass a proxy", async () => {
    const calls = Object.entries(CALLS).flatMap(([name, call]) => (hasProgram(name) ? call : []));
    const line = ['echo "$NO_PROXY $no_proxy"', ...calls].join(" && ");
    const env = { ...proxied, NO_PROXY: "a.example", no_proxy: "b.example" };
    const args = ["exec", "--seed", "empty", "--", "sh", "-c", line];
    const { code, stdout } = await runBuiltCli(args, { cwd: folderOf(), env });
    expect(code).toBe(0);
    expect(stdout).toContain(`a.example,${LOCAL} b.example,${LOCAL}\n`);
    expect(stdout.match(/"mode"/g) ?? []).toHaveLength(calls.length);
  });
});
