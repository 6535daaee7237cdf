import { describe, expect, it } from "vitest";
import { createSandbox } from "../../src/index.ts";
import { serveCli } from "../support/built.ts";
import { expectMisuse, folderOf, runCli } from "../support/cli.ts";

const MISTAKES = {
  port: 70_000,
  clock: { mode: "live", rate: 5 },
  webhooks: { retires: 3, timeout: "soon", retryDelays: ["1m"] },
  game: { games: ["mine", { slug: "My Game" }], rules: [{ name: "r", when: "x", then: [{ dance: {} }] }] },
  colour: "green",
};

describe("a configuration in a folder without Sandglass", () => {
  it.each(["ts", "mts", "js", "mjs"])("sandbox.config.%s can always import defineConfig", async (ending) => {
    const text = `import { defineConfig } from "sandglass";
      export default defineConfig({ seed: "empty", startAt: "2027-03-01" });`;
    const { status } = await serveCli([], { cwd: folderOf({ [`sandbox.config.${ending}`]: text }) });
    expect(status).toMatchObject({ seed: "empty", clock: { now: expect.stringMatching(/^2027-03-01/) } });
  });
});

describe("a configuration with an unsupported name", () => {
  it.each<[string, string, RegExp]>([
    ["sandglass.config.ts", "export default {};", /Call it sandbox\.config\.ts\./],
    ["sandglass.config.json", "{}", /Call it sandbox\.config\.json\./],
    ["sandbox.config.yaml", "port: 1", /Use one of these files: sandbox\.config\.ts, /],
  ])("commands reject a configuration file named %s", async (name, text, hint) => {
    const cwd = folderOf({ [name]: text, "sandbox.config.mjs": "export default {};" });
    const [start, pay, init] = await Promise.all([
      runCli(["--port", "0"], { cwd }),
      runCli(["pay", "coffee"], { cwd }),
      runCli(["init"], { cwd }),
    ]);
    for (const refused of [start, pay, init]) {
      expectMisuse(refused, new RegExp(`${name}, which Sandglass does not read`));
      expect(refused.stderr).toMatch(hint);
    }
  });
});

describe("mistakes in a configuration", () => {
  const listed = (source: string) => [
    `${source} has 9 errors:`,
    '- clock.rate must be 1 in live mode, not 5. Remove clock.mode, or set it to "scaled".',
    "- port must be a whole number from 0 to 65535, not 70000.",
    '- webhooks.timeout must be a duration such as 30s, 10m or 1h30m, not "soon".',
    '- game.games[0] must be an object, not "mine".',
    '- game.games[1].slug must be lower-case letters, digits and hyphens, such as my-game, not "My Game".',
    "- game.games[1].name is required: a non-empty string. Add it.",
    '- game.rules[0].then[0] must be an object with one of activity, score, message, item, notification, payment, not {"dance":{}}.',
    expect.stringMatching(/^- there is no field colour\. Valid names: \$schema, allowedHosts, /),
    expect.stringMatching(
      /^- there is no field webhooks\.retires\. Valid names: allowExternal, allowHttpHosts, /,
    ),
  ];

  it("the commands and the library list every mistake in a configuration", async () => {
    const cwd = folderOf({ "sandbox.config.json": JSON.stringify(MISTAKES) });
    const [start, status, refused] = await Promise.all([
      runCli(["--port", "0"], { cwd }),
      runCli(["status"], { cwd }),
      createSandbox(MISTAKES as never).catch((error: Error) => error.message),
    ]);
    const [head, ...rest] = listed("sandbox.config.json");
    expect(start.code).toBe(2);
    expect(start.stderr.trimEnd().split("\n")).toEqual([
      `sandglass: ${head}`,
      ...rest.map((line) => (typeof line === "string" ? `  ${line}` : expect.stringMatching(/^ {2}- there/))),
      "  Correct each field, or remove it to use its default.",
    ]);
    expect(status.code).toBe(2);
    expect(status.stderr).toMatch(/^sandglass: sandbox\.config\.json has 9 errors:\n +- clock\.rate must be/);
    expect(String(refused).split("\n")).toEqual(listed("createSandbox"));
  });
});

describe("a port that is set twice", () => {
  it.each([
    [
      '{"port": 4654, "ports": {"data": 4656, "game": 4656}}',
      "ports.game must be a different port from ports.data, not 4656.",
    ],
    ['{"port": 4654, "ports": {"data": 4654}}', "ports.data must be a different port from port, not 4654."],
  ])("commands reject a port that the configuration sets twice: %s", async (config, message) => {
    const cwd = folderOf({ "sandbox.config.json": config });
    const [start, status] = await Promise.all([runCli([], { cwd }), runCli(["status"], { cwd })]);
    expect(start).toMatchObject({ code: 2, stdout: "" });
    expect(start.stderr).toContain(`sandglass: sandbox.config.json: ${message}\n`);
    expect(status.stderr).toContain(message);
  });

  it("sandglass start rejects a --port that the configuration assigns to another API, and accepts 0 for every API", async () => {
    const cwd = folderOf({ "sandbox.config.json": '{"ports": {"data": 4656}}' });
    expectMisuse(
      await runCli(["--port", "4656"], { cwd }),
      /--port must be a different port from ports\.data in the configuration, not 4656\./,
    );
    await createSandbox({ seed: "empty", ports: { data: 0, game: 0 } }).then((sandbox) => sandbox.close());
  });
});
