import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { tryReceiver, verdictsOf } from "../check/support/try.ts";
import { expectMisuse, runCli } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { FRAMEWORKS, type Framework, init, project, typescript } from "./init.ts";

const read = (cwd: string, path: string) => readFileSync(join(cwd, path), "utf8");

test("the handlers that init writes pass every hazard", async () => {
  // How a handler processes an event comes from one template for JavaScript and TypeScript. How it gets the raw bytes
  // differs by framework.
  const bytes = { only: ["wrong-signature", "changed-body", "split-character", "duplicate"] };
  const projects: [Framework, Record<string, string>, { only?: string[] }][] = [
    ["express", {}, {}],
    ["fastify", typescript, bytes],
    ["next", typescript, {}],
    ["node", {}, bytes],
  ];
  const verdicts = projects.map(async ([framework, files, options]) => {
    const cwd = project([framework], files);
    await init(cwd);
    const server = spawn(process.execPath, ["webhooks.server.mjs"], {
      cwd,
      env: { ...process.env, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void server.kill("SIGKILL"));
    const printed = await new Promise<string>((resolve) => server.stdout.once("data", resolve));
    const url = /http:\S+/.exec(printed)![0];
    const stateUrl = url.replace("webhooks", "state");
    const report = await tryReceiver({ url, stateUrl }, { state: true, secret: "whsec_dev", ...options });
    return verdictsOf(report);
  });
  expect(await Promise.all(verdicts)).toEqual([{}, {}, {}, {}]);
});

describe("the project details that init finds", () => {
  test.each<[string, string[], Record<string, string>, RegExp]>([
    ["an empty project", [], {}, /^Node, JavaScript, node:test, npm\n/],
    [
      "a project with Hono and a pnpm lockfile",
      ["hono", "vitest"],
      { "pnpm-lock.yaml": "" },
      /^Hono, .*, Vitest, pnpm\n/,
    ],
    ["a Koa project with yarn", ["koa", "jest"], { "yarn.lock": "" }, /^Koa, .*, Jest, yarn\n/],
    ["a project with Playwright", ["express", "@playwright/test"], {}, /^Express, .*, Playwright, npm\n/],
    ["a Next app that also has Express", ["next", "express"], typescript, /^Next, TypeScript, /],
  ])(
    "init names the framework, test runner and package manager of %s",
    async (_what, needs, files, first) => {
      expect(await init(project(needs, files), "--dry-run")).toMatch(first);
    },
  );

  test("init --platform writes a handler for the platform even if the project uses another sender", async () => {
    const cwd = project(["stripe", "express"]);
    expect(await init(cwd, "--dry-run", "--port", "8080")).toMatch(
      /^ {2}address +http:\/\/127\.0\.0\.1:8080\/webhooks +a guess$/m,
    );
    expect(await init(cwd, "--platform")).toMatch(/^wrote +webhooks\.mjs /m);
  });

  test("init --port writes the port of your server into every file that needs it", async () => {
    const cwd = project(["express"]);
    expect(await init(cwd, "--port", "8080")).toContain(
      "check localhost:8080/webhooks --state localhost:8080/state",
    );
    for (const path of ["sandbox.config.ts", "webhooks.server.mjs", ".github/workflows/webhooks.yml"])
      expect(read(cwd, path)).toMatch(/8080/);
    expectMisuse(
      await runCli(["init", "--port", "0"], { cwd }),
      /--port must be a port from 1 to 65535, not '0'/,
    );
  });

  test("init --sender copies the file of a shipped sender, and says that the sender also works without the file", async () => {
    const cwd = project([]);
    expect(await init(cwd, "--sender", "stripe")).toContain(
      "Sandglass includes stripe. No file is needed:\n--sender stripe\n",
    );
    expect(read(cwd, "senders/stripe.yaml")).toBe(
      readFileSync(join(ROOT, "fixtures/senders/stripe.yaml"), "utf8"),
    );
    expect(await init(cwd, "--sender", "acme")).toMatch(
      /^wrote +\S+ +every field of a sender explained\nNext: /,
    );
  });

  test("init writes into src, creates a route for Next, and uses the project's commands in CI", async () => {
    const cwd = project(["next", "vitest"], { ...typescript, "src/page.tsx": "", "pnpm-lock.yaml": "" });
    await init(cwd);
    expect(readdirSync(join(cwd, "src")).sort()).toEqual([
      "app",
      "page.tsx",
      ...["explore.mjs", "server.mjs", "test.mjs", "ts"].map((end) => `webhooks.${end}`),
    ]);
    expect(read(cwd, "src/app/webhooks/route.ts")).toBe('export { POST } from "../../webhooks";\n');
    const { jobs } = parse(read(cwd, ".github/workflows/webhooks.yml"));
    const steps = jobs.webhooks.steps.map(({ run }: { run?: string }) => run);
    expect(steps).toContain("pnpm install --frozen-lockfile");
    expect(steps).toContain("pnpm exec vitest run src/webhooks.test.mjs");
    expect(steps).toContain("node src/webhooks.explore.mjs");
    expect(steps.join("\n")).toContain("pnpm exec sandglass check localhost:3000/webhooks");
  });

  test("init leaves no template placeholders in any kind of project", async () => {
    for (const framework of FRAMEWORKS)
      for (const files of [{}, typescript]) {
        const cwd = project([framework], files);
        await init(cwd);
        await init(cwd, "--skill");
        const written = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter(
          (entry) => entry.isFile() && !entry.parentPath.includes("node_modules"),
        );
        for (const { parentPath, name } of written)
          expect(readFileSync(join(parentPath, name), "utf8")).not.toMatch(
            /\{\{|\/\*:|^\/\/\/\/|undefined,/m,
          );
      }
  });
});

test("init never overwrites a file, and init --dry-run writes none", async () => {
  const cwd = project(["express"], { "webhooks.mjs": "mine", "sandbox.config.json": "{}" });
  const listed = await init(cwd, "--dry-run");
  expect(listed).toMatch(/^exists +webhooks\.mjs +the webhook route$/m);
  expect(listed).toContain(
    "webhooks.mjs exists. The files next to it import\nwebhooks, orders and reset from it.\n",
  );
  expect(listed).toMatch(/^exists +sandbox\.config\.json /m);
  expect(listed).toMatch(/^would +webhooks\.server\.mjs /m);
  expect(existsSync(join(cwd, "webhooks.server.mjs"))).toBe(false);
  const written = await init(cwd);
  expect(written).toMatch(/^wrote +scenarios\/first-payment\.ts +a scenario$/m);
  expect(written).toMatch(/^Next:\n(?: {2}.*\n)* {2}npx sandglass run\n/m);
  writeFileSync(join(cwd, "scenarios/explore-first.ts"), "");
  expect(await init(cwd)).toMatch(/^exists +scenarios\/first-payment\.ts +a scenario$/m);
  expect(read(cwd, ".github/workflows/webhooks.yml")).toContain("run: npx sandglass run\n");
  expect(read(cwd, "webhooks.mjs")).toBe("mine");
  expect(existsSync(join(cwd, "sandbox.config.ts"))).toBe(false);
});

const LINES = "sandglass-failed/\nsandglass/findings/report.html\n";

test.each<[string, Record<string, string>, string | null, RegExp | null]>([
  ["not in a folder without git", {}, null, null],
  ["in a new repository", { ".git/HEAD": "" }, LINES, /^added +\.gitignore /m],
  ["in an existing file, even without git", { ".gitignore": "a" }, `a\n${LINES}`, /^added/m],
  [
    "with the line endings of the existing file",
    { ".git/HEAD": "", ".gitignore": "a\r\nb" },
    `a\r\nb\r\n${LINES.replaceAll("\n", "\r\n")}`,
    /^added/m,
  ],
  [
    "not if the lines already exist",
    { ".git/HEAD": "", ".gitignore": `/${LINES.replaceAll("/\n", "\r\n")}` },
    `/${LINES.replaceAll("/\n", "\r\n")}`,
    /^exists +\.gitignore /m,
  ],
])("init adds its output folders to .gitignore only where needed: %s", async (_, files, expected, line) => {
  const cwd = project([], files);
  expect(/gitignore/.test(await init(cwd, "--dry-run"))).toBe(line !== null);
  expect(existsSync(join(cwd, ".gitignore")) ? read(cwd, ".gitignore") : null).toBe(
    files[".gitignore"] ?? null,
  );
  const listed = await init(cwd);
  if (line) expect(listed).toMatch(line);
  for (let again = 0; again < 2; again += 1) {
    expect(existsSync(join(cwd, ".gitignore")) ? read(cwd, ".gitignore") : null).toBe(expected);
    if (line) expect(await init(cwd)).toMatch(/^exists +\.gitignore /m);
  }
});

test("init respects a .gitignore in a folder above the project, and otherwise writes one into the package", async () => {
  const cwd = project([], { ".git/HEAD": "", "packages/shop/package.json": "{}" });
  const inside = join(cwd, "packages/shop");
  expect(await init(inside)).toMatch(/^added +\.gitignore /m);
  writeFileSync(join(inside, ".gitignore"), "");
  writeFileSync(join(cwd, ".gitignore"), LINES);
  expect(await init(inside)).toMatch(/^exists +\.gitignore /m);
  expect(read(inside, ".gitignore")).toBe("");
});

test("init lists the written and the missing files if it cannot write one, and a second run writes the rest", async () => {
  const cwd = project(["express"], { scenarios: "in the way" });
  const { code, stdout, stderr } = await runCli(["init"], { cwd });
  expect(code).toBe(2);
  const listed = [...stdout.matchAll(/^wrote +(\S+)/gm)].map(([, path]) => path!);
  expect(listed).toContain("webhooks.mjs");
  for (const path of listed) expect(existsSync(join(cwd, path))).toBe(true);
  expect(stderr).toMatch(
    /Cannot write \S*scenarios\/first-payment\.ts: \S+scenarios is a file, not a folder\.\n.*Not written: scenarios\/first-payment\.ts, \.github\/workflows\/webhooks\.yml\./,
  );
  rmSync(join(cwd, "scenarios"));
  const again = await init(cwd);
  expect(again).toMatch(/^exists +webhooks\.mjs /m);
  expect(again).toMatch(/^wrote +scenarios\/first-payment\.ts /m);
});

test("init --skill writes instructions with the project's own commands", async () => {
  const cwd = project(["fastify", "vitest"], typescript);
  expect(await init(cwd, "--skill")).toMatch(/^wrote +\.agents\/skills\/webhooks\/SKILL\.md/m);
  const skill = read(cwd, ".agents/skills/webhooks/SKILL.md");
  expect(skill).toMatch(/^---\nname: webhooks\ndescription: .+\n---\n/);
  const steps = [...skill.matchAll(/^\d\. \*\*(\w+)/gm)].map(([, step]) => step);
  expect(steps).toEqual(["Check", "Explore", "Fix", "Test", "Commit"]);
  expect(skill).toContain("`npx vitest run webhooks.test.mjs`");
});

test("init --skill does not mention the platform's handler in a project that uses another sender", async () => {
  const cwd = project(["stripe", "express"]);
  await init(cwd, "--skill");
  const skill = read(cwd, ".agents/skills/webhooks/SKILL.md");
  expect(skill).toContain("`npx sandglass test --json`");
  expect(skill).not.toMatch(/webhooks\.(mjs|test|explore|server)|\{\{|undefined/);
});
