import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { inPackage } from "../runtime/package.ts";
import { CONFIG_TEMPLATE } from "./config-template.ts";
import type { Project } from "./init-project.ts";

/** A file that `sandglass init` writes. */
export interface ProjectFile {
  path: string;
  /** What it is, in the words of the list that is printed. */
  what: string;
  text: string;
}

const MANAGERS = {
  npm: { install: "npm ci", run: "npx", add: "npm install --save-dev" },
  pnpm: { install: "pnpm install --frozen-lockfile", run: "pnpm exec", add: "pnpm add --save-dev" },
  yarn: { install: "yarn install", run: "yarn", add: "yarn add --dev" },
};

/** How pnpm, yarn and a browser come to a machine of GitHub. */
const COREPACK = "      - run: corepack enable\n";
const browser = (run: string): string => `\n      - run: ${run} playwright install --with-deps chromium`;

const testCommand = ({ runner }: Project, run: string, file: string): string =>
  ({
    Vitest: `${run} vitest run ${file}`,
    Jest: `NODE_OPTIONS=--experimental-vm-modules ${run} jest ${file}`,
    Playwright: `${run} playwright test ${file}`,
    "node:test": `node --test ${file}`,
  })[runner];

/** What to run next, from the project's folder. */
export function commandsOf(project: Project): string[] {
  const { run, add } = MANAGERS[project.manager];
  const { test, server, explore } = pathsOf(project);
  return [
    ...(project.installed ? [] : [`${add} sandglass`]),
    testCommand(project, run, test),
    `node ${explore}`,
    `node ${server} &`,
    `${run} sandglass check localhost:3000/webhooks`,
  ];
}

const pathsOf = ({ folder, extension }: Project) => ({
  handler: `${folder}webhooks.${extension}`,
  server: `${folder}webhooks.server.mjs`,
  test: `${folder}webhooks.test.mjs`,
  explore: `${folder}webhooks.explore.mjs`,
});

/** The files for a project: its handler, what tests it, a configuration, a scenario and a CI job. */
export function filesFor(project: Project): ProjectFile[] {
  const { framework, folder, extension, typed, runner } = project;
  const paths = pathsOf(project);
  const parts = partsOf(framework);
  const isNext = framework === "Next";
  // Their servers take a Request and return a Response.
  const fetches = isNext || framework === "Hono";
  const reads = framework === "Koa" || framework === "Node";
  const handler = [
    'import { createHmac, timingSafeEqual } from "node:crypto";\n',
    parts.imports,
    template("handler"),
    reads ? template("read-body") : "",
    parts.route,
  ].join("");
  const names = {
    ...{ handler: posix.basename(paths.handler), server: posix.basename(paths.server) },
    imports: parts["server imports"] ?? "",
    export: isNext ? "POST" : "webhooks",
    listener: (parts.listener ?? "") + (fetches ? template("fetch-listener") : ""),
  };
  return [
    {
      path: "sandbox.config.ts",
      what: "endpoint and secret",
      text: CONFIG_TEMPLATE,
    },
    { path: paths.handler, what: "the webhook route", text: inLanguage(handler, typed) },
    ...(isNext
      ? [
          {
            path: `${folder}app/webhooks/route.${typed ? "ts" : "js"}`,
            what: "its address in Next",
            text: fill(template("next-route"), {
              module: extension === "ts" ? "webhooks" : `webhooks.${extension}`,
            }),
          },
        ]
      : []),
    { path: paths.server, what: "serves it alone", text: fill(template("server"), names) },
    {
      path: paths.test,
      what: "a first test",
      text: fill(template(runner.toLowerCase().replace(":", "-")), names),
    },
    {
      path: paths.explore,
      what: "explores the route",
      text: fill(template("explore"), { ...names, explore: paths.explore }),
    },
    { path: "scenarios/first-payment.ts", what: "a first scenario", text: template("scenario") },
    {
      path: ".github/workflows/webhooks.yml",
      what: "a CI job",
      text: fill(template("workflow"), inProject(project)),
    },
  ];
}

/** Instructions for coding agents, as a skill. */
export const skillFor = (project: Project): ProjectFile => ({
  path: ".agents/skills/webhooks/SKILL.md",
  what: "for coding agents",
  text: fill(template("skill"), inProject(project)),
});

/** Where to mount the route: the template's own words. */
export const mountOf = ({ framework }: Project): string =>
  /\/\*\* (.*) \*\//.exec(partsOf(framework).route!)![1]!;

/** Paths and commands, as they are from the project's folder. */
function inProject(project: Project) {
  const { install, run } = MANAGERS[project.manager];
  const paths = pathsOf(project);
  const setup = project.manager === "npm" ? "" : COREPACK;
  return {
    ...paths,
    ...{
      setup,
      install,
      browser: project.runner === "Playwright" ? browser(run) : "",
      run: `${run} sandglass`,
      test: testCommand(project, run, paths.test),
      testFile: paths.test,
    },
  };
}

const template = (name: string): string => readFileSync(inPackage(`fixtures/init/${name}.template`), "utf8");

/** The parts of a framework's template, by the words after `////`. */
function partsOf(framework: Project["framework"]): Record<string, string> {
  const [, ...parts] = template(framework.toLowerCase()).split(/^\/\/\/\/ (.+)\n/m);
  return Object.fromEntries(parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1]!]] : [])));
}

const fill = (text: string, values: Record<string, string>): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]!);

/** Types are in comments as Flow has them: TypeScript gets them as code, JavaScript without. */
const inLanguage = (text: string, typed: boolean): string =>
  typed
    ? text.replaceAll(/\/\*:: ?(.*?) \*\//gs, "$1").replaceAll(/\/\*: (.*?) \*\//gs, ": $1")
    : text
        .replaceAll(/^\/\*::.*?\*\/\n/gms, "")
        .replaceAll(/\/\*::?.*?\*\//gs, "")
        .replaceAll(/\n{3,}/g, "\n\n");
