import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";

const has = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

async function scriptOf(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runCli(["completion", shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** What bash offers for the last of these words. */
function complete(script: string, words: string[], cwd = "."): string[] {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const program = `${script}
COMP_WORDS=(sandglass ${quoted}); COMP_CWORD=${words.length}; _sandglass; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["-c", program], { encoding: "utf8", cwd });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").filter(Boolean);
}

describe.skipIf(!has("bash"))("sandglass completion bash", () => {
  it("offers commands, actions, flags and values", async () => {
    const script = await scriptOf("bash");
    for (const [words, offered] of [
      [["res"], ["reset", "resend"]],
      [["--pa"], ["--paused"]],
      [["help", "webh"], ["webhooks"]],
      [
        ["webhooks", "t"],
        ["test", "timeline"],
      ],
      [["webhooks", "fail", "last", "tim"], ["timeout"]],
      [["webhooks", "fail", "--times", "2", "last", "tim"], ["timeout"]],
      [
        ["webhooks", "create", "--events", "payment."],
        ["payment.completed", "payment.failed"],
      ],
      [
        ["pay", "coffee", "--fail", "re"],
        ["reverted", "rejected"],
      ],
      [["advance", "--until", "ne"], ["next"]],
      [["run", "retry-"], ["retry-and-recover"]],
      [["exec", "--scenario", "rate"], ["rate-limit"]],
      [["events", "--wo"], ["--world"]],
      [["faults", "pl"], ["platform"]],
      [["providers", "indexer", "g"], ["garbage"]],
      [["cache", "c"], ["clear"]],
      [["sessions", "--status", "a"], ["active"]],
      [["pay", "--url", ""], []],
      [["nothing", ""], []],
    ] as const)
      expect(complete(script, [...words]), words.join(" ")).toEqual(offered);
    expect(complete(script, [""])).toEqual([...COMMANDS.map(({ name }) => name), "help"]);
  });

  it("offers files where a file is wanted", async () => {
    const folder = folderOf({ "my report.xml": "", "story.ts": "" });
    const script = await scriptOf("bash");
    expect(complete(script, ["run", "--junit", "my"], folder)).toEqual(["my report.xml"]);
    expect(complete(script, ["run", "retry-and-recover", "st"], folder)).toEqual(["story.ts"]);
    expect(complete(script, ["pay", "st"], folder)).toEqual([]);
  });
});

describe.each(["zsh", "fish"])("sandglass completion %s", (shell) => {
  it("has every command with its flags", async () => {
    const script = await scriptOf(shell);
    for (const { name, options } of COMMANDS) {
      expect(script).toContain(name);
      for (const { flags, hidden = false } of options)
        expect(script.includes(flags.split(" ")[0]!.replace(/^--/, ""))).toBe(!hidden);
    }
    if (!has(shell)) return;
    const { status, stderr } = spawnSync(shell, ["-n"], { input: script, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

it("refuses a shell that it does not know", async () => {
  const { stderr, ...result } = await runCli(["completion", "fihs"]);
  expectMisuse({ ...result, stderr }, /completion cannot 'fihs'/);
  expect(stderr).toContain("sandglass completion fish");
});
