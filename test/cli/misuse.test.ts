import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runBuiltCli } from "../support/built.ts";
import { expectMisuse, runCli, startStranger } from "../support/cli.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();
const run = (args: string[]) => runCli(args, { env: { SANDGLASS_URL: sandbox.url } });

describe("invalid uses of a command", () => {
  it.each<[string[], RegExp]>([
    [["frobnicate"], /no command 'frobnicate'/],
    [["start", "now"], /not 'now'/],
    [["--port", "4500", "pay"], /'pay' must come first/],
    [["--prot", "4500"], /option '--prot'/],
    [["--port", "many"], /--port .*0 to 65535, not 'many'/],
    [["--start-at", "yesterday"], /--start-at .*ISO 8601.*'yesterday'/],
    [["pay"], /needs a payment link/],
    [["pay", "coffee", "--metadata", "order"], /--metadata expects a name and a value, not 'order'/],
    [["pay", "coffee", "--metadata", "a=1", "--metadata", "a=2"], /--metadata sets 'a' twice/],
    [["exec", "--param", "failures=1", "--", "true"], /--param needs --scenario/],
    [["providers", "indexer", "up", "--times", "3"], /The state 'up' does not accept times/],
    [["providers", "indexer", "down", "--status", "503"], /The state 'down' does not accept status/],
    [["faults", "platform", "503", "--match", "FOO /x"], /no method 'FOO'/],
    [["faults", "platform", "503", "--match", "post /x"], /match must be .* not 'post \/x'/],
    [["pay", "nothing-like-it"], /no payment link nothing-like-it/],
    [["pay", "coffee", "--fail", "tired"], /--fail must be one of .*tired/],
    [["expire"], /argument 'session'/],
    [["expire", "cs_gone"], /no checkout session cs_gone/],
    [["advance"], /exactly one of/],
    [["advance", "1 fortnight"], /"1 fortnight" is not a duration/],
    [["advance", "--to", "2020-01-01"], /cannot go back/],
    [["advance", "--until", "nonsense"], /until must be next, idle or .*'nonsense'/],
    [["env", "--shell", "tcsh"], /one of sh, fish, powershell, not 'tcsh'/],
    [["env", "--url", "ftp://here"], /--url .*http.*'ftp:\/\/here'/],
    [["openapi", "games"], /no document 'games'/],
    [["webhooks", "stop"], /webhooks cannot 'stop'/],
    [["events", "--follow", "--types", "webhook.disable"], /names of journal entries.*'webhook\.disable'/],
    [["webhooks", "create", "http://127.0.0.1:99999/hook"], /port from 1 to 65535, not 99999/],
    [["webhooks", "create", "localhost:0"], /port from 1 to 65535, not 0/],
    [
      ["webhooks", "create", "3000/hook"],
      /The endpoint's URL must be an http address, not the port '3000\/hook'/,
    ],
    [["check", "3000"], /The subscriber's address must be an http address, not the port '3000'/],
    [
      ["webhooks", "create", "0.0.0.0:3000"],
      /url must name this machine as 127\.0\.0\.1, not 'http:\/\/0\.0\.0\.0:3000'/,
    ],
    [["webhooks", "fail"], /needs an endpoint/],
    [["webhooks", "work", "nothing-like-it"], /no webhook endpoint/],
    [["faults", "platform", "503", "--times", "0"], /--times must be .*from 1 to 1000000, not 0/],
    [["listen", "--forward-to", "http://elsewhere.example/"], /url must be https/],
    [["listen", "--forward-to", "localhost:1", "--events", "tea.ready"], /tea\.ready/],
    [["listen", "--forward-to", "localhost:1", "--api-key", "sk_wrong"], /key/],
    [["listen", "--forward-to", "localhost:1", "--secret", ""], /The secret has 0 characters/],
  ])("an invalid command exits 2 and suggests a fix: %s", async (args, message) => {
    expectMisuse(await run(args), message);
  });

  it("a client command exits 2 if no sandbox responds at the address", async () => {
    const other = await startStranger();
    const [unreachable, stranger] = await Promise.all([
      runCli(["advance", "1h"], { env: { SANDGLASS_URL: "http://127.0.0.1:1" } }),
      run(["pay", "coffee", "--url", other.url]),
    ]);
    expectMisuse(unreachable, /Nothing responds at http:\/\/127\.0\.0\.1:1\./);
    expect(unreachable.stderr).toContain("npx sandglass");
    expectMisuse(stranger, /it is not Sandglass/);
  });
});

describe.runIf(existsSync("/dev/full"))("standard output on a full disk", () => {
  it.each([
    [["env"]],
    [["status", "--json"]],
    [["listen", "--forward-to", "localhost:1"]],
    [["run", "retry-and-recover", "--json"]],
  ])("the command %j exits 1 and prints one sentence if stdout is on a full disk", async (args) => {
    const { code, stderr } = await runBuiltCli(args, {
      env: { SANDGLASS_URL: sandbox.url },
      stdout: "/dev/full",
    });
    expect(code).toBe(1);
    expect(stderr.replace(/^Removed .*\n/m, "")).toBe(
      "sandglass: Cannot write to standard output: no space left on the device.\n",
    );
  });
});
