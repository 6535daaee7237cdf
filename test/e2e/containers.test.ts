import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { COMMANDS } from "../../src/cli/commands.ts";
import { resolveConfig } from "../../src/config/config.ts";
import { runChild } from "../support/child.ts";
import { folderOf } from "../support/cli.ts";
import { blocksOf, ROOT, readPage } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { projectFolder } from "../support/project.ts";
import { startSandbox } from "../support/sandbox.ts";

/**
 * Docker is not available here, so check that everything the container files refer to exists, and run the parts that
 * need no container.
 */

const COMPOSE = "examples/compose/compose.yaml";

/** Expects a Sandglass command line to use an existing command and existing flags. */
function expectCommand([name, ...words]: string[]): void {
  const command = COMMANDS.find((one) => one.name === name);
  expect(command, `sandglass ${name}`).toBeDefined();
  const known = [...command!.options.map(({ flags }) => flags.split(" ")[0]), "--help"];
  for (const word of words) if (word.startsWith("--")) expect(known, `sandglass ${name}`).toContain(word);
}

describe("the Dockerfile", () => {
  const lines = readPage("Dockerfile").replaceAll("\\\n", "").split("\n");
  const of = (instruction: string) =>
    lines
      .filter((line) => line.startsWith(`${instruction} `))
      .map((line) => line.slice(instruction.length + 1));

  test("the Dockerfile uses the exact Node version of the checkout", () => {
    const images = of("FROM").map((line) => line.split(" ")[0]);
    expect(new Set(images)).toEqual(new Set([`node:${packageJson.devDependencies.node}-bookworm-slim`]));
  });

  test("the Dockerfile copies only files that exist and are not ignored", () => {
    const ignored = readPage(".dockerignore").split("\n");
    const copied = of("COPY").filter((line) => !line.startsWith("--from"));
    expect(copied.length).toBeGreaterThan(0);
    for (const line of copied)
      for (const file of line.split(" ").slice(0, -1)) {
        expect(existsSync(join(ROOT, file)), file).toBe(true);
        expect(ignored).not.toContain(file);
      }
    for (const needed of packageJson.files.filter((file) => !/^(!|dist|THIRD)/.test(file)))
      expect(ignored, needed).not.toContain(needed);
  });

  test("the Dockerfile has an unprivileged user, a health check and valid commands", () => {
    expect(of("USER")).toEqual(["node"]);
    expect(lines.findIndex((line) => line.startsWith("USER"))).toBeLessThan(
      lines.findIndex((line) => line.startsWith("ENTRYPOINT")),
    );
    expect(of("ENTRYPOINT").map((json) => JSON.parse(json))).toEqual([Object.keys(packageJson.bin)]);
    const [check] = of("HEALTHCHECK");
    const [program, ...words] = JSON.parse(check!.slice(check!.indexOf("[")));
    expect(program).toBe("sandglass");
    expectCommand(words);
    expectCommand(JSON.parse(of("CMD")[0]!));
  });

  test("the guide's docker commands are valid", () => {
    const blocks = blocksOf(readPage("docs/guide/where-it-runs.md"), "text").join("");
    const runs = [...blocks.matchAll(/^docker run .* sandglass (start .*)$/gm)];
    expect(runs.length).toBeGreaterThan(0);
    for (const [, words] of runs) expectCommand(words!.split(" "));
    const services = Object.keys(parse(readPage(COMPOSE)).services);
    for (const [, service, words] of blocks.matchAll(/^docker compose run --rm (\w+) (.*)$/gm)) {
      expect(services).toContain(service);
      expectCommand(words!.split(" "));
    }
  });
});

describe("the compose example", () => {
  interface Service {
    build?: string;
    command?: string[];
    volumes?: string[];
    environment?: Record<string, string>;
    depends_on?: Record<string, object>;
  }
  const services = parse(readPage(COMPOSE)).services as Record<string, Service>;
  const folder = join(ROOT, dirname(COMPOSE));

  test("the compose example refers only to existing files, services and commands", () => {
    for (const [name, { build, volumes = [], depends_on: others = {} }] of Object.entries(services)) {
      if (build !== undefined) expect(existsSync(join(folder, build, "Dockerfile")), name).toBe(true);
      for (const volume of volumes)
        expect(existsSync(join(folder, volume.split(":")[0]!)), volume).toBe(true);
      for (const other of Object.keys(others)) expect(services[other], other).toBeDefined();
    }
    expectCommand(services.sandglass!.command!);
    expect(services.shop!.command).toEqual(["node", "/shop/server.mjs"]);
  });

  test("the compose example configures its services with one shared secret", () => {
    const config = JSON.parse(readFileSync(join(folder, "sandbox.config.json"), "utf8"));
    const { allowHttpHosts, secret } = resolveConfig(config, 0).webhooks;
    const { SHOP_URL, WEBHOOK_SECRET, PLATFORM_URL } = services.shop!.environment!;
    expect(allowHttpHosts).toContain(new URL(SHOP_URL!).hostname);
    expect(secret).toBe(WEBHOOK_SECRET);
    for (const url of [PLATFORM_URL, services.cli!.environment!.SANDGLASS_URL])
      expect(Object.keys(services)).toContain(new URL(url!).hostname);
  });

  test("the subscriber in the compose example registers itself, verifies signatures and prints events", async () => {
    const { WEBHOOK_SECRET, PLATFORM_API_KEY } = services.shop!.environment!;
    const sandbox = await startSandbox({ webhooks: { secret: WEBHOOK_SECRET! } });
    const port = await portOfItsOwn();
    const shop = spawn(process.execPath, [join(folder, "shop/server.mjs")], {
      env: {
        WEBHOOK_SECRET,
        PLATFORM_API_KEY,
        PLATFORM_URL: `${sandbox.url}/platform`,
        SHOP_URL: `http://127.0.0.1:${port}`,
        PORT: String(port),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void shop.kill("SIGKILL"));
    let printed = "";
    shop.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    await expect.poll(() => printed).toContain("registered");
    const { id } = await sandbox.createLink();
    const { deliveries } = (await sandbox.control("POST", "/payments", { payment_link_id: id })).body;
    expect(deliveries.map(({ status }: { status: string }) => status)).toEqual(["success", "success"]);
    await expect.poll(() => printed).toMatch(/^payment\.completed txn_/m);
    const forged = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: "POST", body: "{}" });
    expect(forged.status).toBe(401);
  });
});

describe("the GitHub Action", () => {
  const action = parse(readPage("action.yml"));
  const [testing, step] = action.runs.steps;

  test("the GitHub Action is composite and interpolates no input into its scripts", () => {
    expect(action.runs.using).toBe("composite");
    for (const { run, env } of [testing, step]) {
      expect(run).not.toContain("${{");
      for (const value of Object.values({ ...env, url: action.outputs.url.value }))
        expect(value).toMatch(/\$\{\{ (?:inputs\.arguments|runner\.temp|steps\.start\.outputs\.url) \}\}/);
    }
  });

  test.skipIf(process.platform === "win32")(
    "the GitHub Action writes the output of sandglass test to the job summary and exits with its code",
    async () => {
      const folder = withSandglass('echo "$@"; echo "~~~"; exit 1');
      const { run, summary } = runnerIn(folder);
      expect(await run(testing.run, "--budget\n30s\n")).toMatchObject({
        code: 1,
        stdout: "test --budget 30s\n~~~\n",
      });
      expect(readFileSync(summary, "utf8")).toBe(
        "### Webhooks: something is wrong\n\n~~~text\ntest --budget 30s\n - ~~~\n~~~\n",
      );
    },
  );

  test.skipIf(process.platform === "win32")(
    "the GitHub Action starts a sandbox and exports its address and keys",
    async () => {
      const { run, github, output } = runnerIn(projectFolder());
      const asked = "--paused\n--seed\nempty\n";
      // On GitHub, the runner stops processes that a job leaves running. Here the script must do this.
      const script = `${step.run}\nnode -e 'fetch(process.argv[1] + "/_sandbox/status").then((it) => it.text()).then(console.log)' "$url"\nkill "$server"`;
      const ended = await run(script, asked);
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      const status = JSON.parse(/^\{.*\}$/m.exec(ended.stdout)![0]);
      expect(status).toMatchObject({ seed: "empty", clock: { mode: "paused" } });
      expect(readFileSync(output, "utf8")).toBe(`url=${status.url}\n`);
      expect(readFileSync(github, "utf8")).toContain(`SANDGLASS_URL=${status.url}\n`);
      expect(readFileSync(github, "utf8")).toContain("SANDGLASS_API_KEY=sk_sandbox_write\n");
      const refused = await run(step.run, "--rate\nnever");
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("--rate must be");
    },
  );

  test.skipIf(process.platform === "win32")(
    "the GitHub Action fails if the sandbox is not ready after a minute",
    async () => {
      const folder = withSandglass("echo still loading >&2\nexec sleep 600");
      const { run } = runnerIn(folder);
      // Skips the wait of one minute, but only once the sandbox has printed something.
      const instantly = `sleep() { until [ -s "$LOG.log" ]; do command sleep 0.1; done; }`;
      const ended = await run(`${instantly}\n${step.run}`, "--paused");
      expect(ended).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/^still loading\nSandglass was not ready after 60 s\./),
      });
    },
  );
});

/** Creates a project folder in which the command `sandglass` runs this script. */
function withSandglass(script: string): string {
  const folder = folderOf();
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(folder, "node_modules/.bin/sandglass"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

/** Creates a runner that executes a step's script as GitHub's runner would. */
function runnerIn(folder: string) {
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  const [github, output, summary] = ["env", "output", "summary"].map((name) => join(temporary, name)) as [
    string,
    string,
    string,
  ];
  for (const file of [github, output, summary]) writeFileSync(file, "");
  const run = (script: string, args: string) =>
    runChild("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
      cwd: folder,
      env: {
        ...process.env,
        ARGUMENTS: args,
        LOG: join(temporary, "sandglass"),
        GITHUB_ENV: github,
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
      },
    });
  return { run, github, output, summary };
}
