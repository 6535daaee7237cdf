import { expect, test } from "vitest";
import { runBuiltCli, startCli } from "../support/built.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";

const TOKEN = "a-token-that-the-tests-have-chosen";
/** An address that refers to this machine but does not count as local. Windows cannot connect to it. */
const elsewhere = (url: string) => url.replace("127.0.0.1", "0.0.0.0");
const LOCAL = ["--host", "127.0.0.1", "--port", "0", "--seed", "empty"];

test("sandglass start --share prints the link once, and says that it will not be shown again", async () => {
  const cli = startCli(["start", "--share", ...LOCAL], { env: { SANDGLASS_TOKEN: TOKEN } });
  await cli.saw(/printed only once/);
  expect(cli.output.stdout.split(TOKEN)).toHaveLength(2);
  expect(cli.output.stdout).toMatch(/share +http:\/\/127\.0\.0\.1:\d+\/_sandbox\/open#token=a-token/);
});

test("sandglass start binds every address and includes the link in --json if share is configured, and exec ignores share", async () => {
  const cwd = folderOf({ "sandbox.config.json": '{"share": true, "port": 0, "seed": "empty"}' });
  const shared = startCli(["start", "--json"], { cwd });
  const [line] = await shared.saw(/^\{.*\}$/m);
  const { url, share } = JSON.parse(line);
  const { port } = new URL(url);
  expect(share).toEqual({
    wrong_tokens: 0,
    link: expect.stringMatching(/^http:\/\/\S+:\d+\/_sandbox\/open#token=[\w-]{43}$/),
  });
  expect((await fetch(`http://127.0.0.1:${port}/_sandbox/status`)).status).toBe(200);
  const script =
    "fetch(process.env.SANDGLASS_URL+'/_sandbox/status').then((it)=>it.json()).then((it)=>console.log(it.share))";
  expect(await runBuiltCli(["exec", "--", process.execPath, "-e", script], { cwd })).toMatchObject({
    code: 0,
    stdout: "null\n",
  });
});

test.skipIf(process.platform === "win32")(
  "client commands accept the printed share link or the token, and never print the token",
  async () => {
    const cli = startCli(["start", "--share", "--quiet", ...LOCAL], { env: { SANDGLASS_TOKEN: TOKEN } });
    const [, address] = await cli.saw(/^(http:\S+)\n\1\/_sandbox\/open#token=a-token-\S+\n/);
    const url = elsewhere(address!);
    const link = `${url}/_sandbox/open#token=${TOKEN}`;
    for (const [args, env] of [
      [["status", "--url", link], {}],
      [["status"], { SANDGLASS_URL: link }],
      [["status", "--url", url], { SANDGLASS_TOKEN: TOKEN }],
      [["advance", "1h", "--url", link], {}],
      [["webhooks", "list", "--url", link], {}],
      [["snapshot", "save", "one", "--url", link], {}],
    ] as [string[], Record<string, string>][]) {
      const ended = await runCli(args, { env });
      expect(ended.code, args.join(" ") + ended.stderr).toBe(0);
      expect(ended.stdout + ended.stderr).not.toContain(TOKEN);
    }
    const listening = startCli(["listen", "--url", link]);
    await listening.saw(/_sandbox\/inbox\/listen/);
    await runCli(["webhooks", "list", "--url", link]);
    expectMisuse(await runCli(["status", "--url", url]), /need its token/);
    const wrong = await runCli(["status", "--url", link.slice(0, -1)]);
    expectMisuse(wrong, /does not match the sandbox's/);
    expect(wrong.stderr).not.toContain(TOKEN.slice(0, -1));
    const misspelled = await runCli(["status", "--url", `hpp:/${link}`]);
    expect(misspelled.stderr).not.toContain(TOKEN);
  },
);

test("sandglass start rejects a --public-url that contains a path, and a token that is too short", async () => {
  expectMisuse(
    await runCli(["start", "--public-url", "https://sandbox.example/below"]),
    /--public-url must be .*without a path, not 'https:\/\/sandbox.example\/below'/,
  );
  expectMisuse(
    await runCli(["start", "--share", ...LOCAL], { env: { SANDGLASS_TOKEN: "guess" } }),
    /SANDGLASS_TOKEN must have 16 to 200/,
  );
});
