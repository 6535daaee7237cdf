import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BUILT_CLI } from "../support/built.ts";
import { runChild } from "../support/child.ts";
import { type Json, startSandbox } from "../support/sandbox.ts";
import { scenarioText } from "../support/scenarios.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { warmNpx } from "../support/warm-shell.ts";
import { consumerProject } from "./consumer.ts";

/** Names as people write them: too long for a snapshot, with quotes, letters from other scripts, and slashes. */
const NAMES = [
  `an order ${"that is paid twice ".repeat(12)}is shipped once`,
  `it's "paid" in src/orders/a b.ts, not $HOME \`x\``,
  "注文は一度だけ出荷される 📦",
  "--",
];

type Project = ReturnType<typeof consumerProject>;

/** Runs each command that a failure printed, in a shell, against a running sandbox. */
async function restoreAll({ folder }: Project, output: string, expected: number): Promise<void> {
  const sandbox = await startSandbox();
  const npx = await warmNpx();
  const env = { ...process.env, SANDGLASS_URL: sandbox.url };
  const lines = [...output.matchAll(/and run (npx sandglass snapshot restore .+)$/gm)].map(
    ([, line]) => line!,
  );
  const commands = [...new Set(lines)];
  expect(commands).toHaveLength(expected);
  for (const command of commands) {
    const { stdout } = await runChild("bash", ["-c", npx + command], { cwd: folder, env });
    expect(stdout).toMatch(/^restored /);
    const { data } = (await sandbox.api("GET", "/checkout-sessions?limit=1")).body as Json;
    expect(data[0].client_reference_id).toBe("left behind");
    await sandbox.control("POST", "/reset", {});
  }
}

const PAYS = `await sandbox.payments.openSession("coffee", { client_reference_id: "left behind" });`;

describe("printed restore commands", () => {
  test("the command printed by a failing test restores its world, whatever the test's name", async () => {
    const project = consumerProject({
      "package.json": '{"type": "module"}',
      "shop.test.mjs": `
        import { test } from "node:test";
        import { createSandbox, keepOnFailure } from "sandglass";
        for (const name of ${JSON.stringify(NAMES)}) test(name, async (t) => {
          await using sandbox = await createSandbox({ port: false });
          await keepOnFailure(sandbox, t, async () => { ${PAYS} throw new Error("on purpose"); });
        });`,
    });
    const { output } = await project.node(["shop.test.mjs"]);
    await restoreAll(project, output, NAMES.length);
  });

  test("the command printed by sandglass run restores a scenario's world, whatever its name", async () => {
    const name = `order-${"twice-".repeat(8)}once`;
    const project = consumerProject({});
    mkdirSync(join(project.folder, "scenarios"));
    writeFileSync(
      join(project.folder, "scenarios/long.mjs"),
      scenarioText(name, `    ${PAYS}\n    expect(1).toBe(2);`),
    );
    const { stderr } = await runWarmCli(["run", "--keep", "it's kept/here"], { cwd: project.folder });
    await restoreAll(project, stderr, 1);
  });

  test("the command printed by sandglass exec restores the world, whatever its folder's name", async () => {
    const project = consumerProject({
      "run.mjs": `
        import { connect } from "sandglass/client";
        const sandbox = await connect(process.env.SANDGLASS_URL);
        ${PAYS}
        process.exit(3);`,
    });
    const command = ["--keep", "$HOME kept", "--", process.execPath, "run.mjs"];
    const { output, code } = await project.node([BUILT_CLI, "exec", ...command]);
    expect(code).toBe(3);
    await restoreAll(project, output, 1);
  });
});
