import { readFileSync } from "node:fs";
import { inPackage } from "../runtime/package.ts";
import { configOf } from "./init-config.ts";
import type { Handler } from "./init-handler.ts";
import type { Project } from "./init-project.ts";

/** A file that `sandglass init` writes. */
export interface ProjectFile {
  path: string;
  /** What it is, in the words of the list that is printed. */
  what: string;
  text: string;
  /** Whether the text goes to the end of a file that may be there. */
  isAddition?: true;
}

/** Each with its path, what it is, and its template. */
const FILES: [path: string, what: string, template: string][] = [
  ["sandbox.config.ts", "the configuration", "config"],
  ["{{folder}}{{handler}}", "the webhook route", "handler"],
  ["{{folder}}app/webhooks/route.{{script}}", "its address in Next", "next-route"],
  ["{{folder}}{{server}}", "serves it alone", "server"],
  ["{{folder}}{{test}}", "a first test", "{{runner}}"],
  ["{{folder}}{{explore}}", "explores the route", "explore"],
  ["scenarios/first-payment.ts", "a scenario", "scenario"],
  [".github/workflows/webhooks.yml", "a CI job", "workflow"],
];
/** For a project that has a handler. */
const SENDER_FILES: typeof FILES = [
  ["sandbox.config.{{config}}", "the configuration", "config"],
  [".github/workflows/webhooks.yml", "a CI job", "workflow-sender"],
];
const SKILL: (typeof FILES)[number] = [".agents/skills/webhooks/SKILL.md", "for coding agents", "{{skill}}"];

const MANAGERS = {
  npm: { install: "npm ci", run: "npx", add: "npm install --save-dev", setup: "" },
  pnpm: {
    ...{ install: "pnpm install --frozen-lockfile", run: "pnpm exec", add: "pnpm add --save-dev" },
    setup: "      - run: corepack enable\n",
  },
  yarn: {
    install: "yarn install",
    run: "yarn",
    add: "yarn add --dev",
    setup: "      - run: corepack enable\n",
  },
};

const RUNS = {
  Vitest: "{{run}} vitest run",
  Jest: "NODE_OPTIONS=--experimental-vm-modules {{run}} jest",
  Playwright: "{{run}} playwright test",
  "node:test": "node --test",
};

/** What to write. */
export interface Wanted {
  /** Instructions for coding agents, and nothing else. */
  skill: boolean;
  /** Where the server that is written listens. */
  port: number;
}

/**
 * The files for a project, and what to do next.
 * @param handler of webhooks, which the project has; one is written where it has none
 */
export function filesFor(
  project: Project,
  { skill, port }: Wanted,
  handler?: Handler,
): { files: ProjectFile[]; next: string } {
  const { framework, runner, extension, typed } = project;
  const manager = MANAGERS[project.manager];
  const parts = partsOf(framework);
  const values: Record<string, string> = {
    ...manager,
    ...{ imports: "", "server imports": "", ...parts, folder: project.folder },
    ...{ handler: `webhooks.${extension}`, server: "webhooks.server.mjs", script: typed ? "ts" : "js" },
    ...{ test: "webhooks.test.mjs", explore: "webhooks.explore.mjs", tests: RUNS[runner] },
    add: project.installed ? "" : `  ${manager.add} sandglass\n`,
    browser:
      runner === "Playwright" ? `\n      - run: ${manager.run} playwright install --with-deps chromium` : "",
    export: framework === "Next" ? "POST" : "webhooks",
    module: extension === "ts" ? "webhooks" : `webhooks.${extension}`,
    runner: runner.toLowerCase().replace(":", "-"),
    ...{
      port: String(port),
      skill: handler ? "skill-sender" : "skill",
      config: "ts",
      ...(handler && valuesOf(handler, project)),
    },
    // The templates say where to mount the route.
    mount: /\/\*\* (.*) \*\//.exec(parts.route!)![1]!,
  };
  const fill = (text: string): string =>
    text.replaceAll(/\{\{([\w -]+)\}\}/g, (_, name: string) => fill(values[name] ?? template(name)));
  const all = handler
    ? SENDER_FILES
    : FILES.filter(([, , name]) => name !== "next-route" || framework === "Next");
  const files = (skill ? [SKILL] : all).map(([path, what, name]) => {
    const text = handler && name === "config" ? configOf(handler) : fill(template(fill(name)));
    return { path: fill(path), what, text: name === "handler" ? inLanguage(text, typed) : text };
  });
  return { files, next: skill ? "" : fill(template(handler ? "then-sender" : "then")) };
}

/** What the templates say of a handler. */
function valuesOf({ senders, database, prepare, isNode }: Handler, project: Project): Record<string, string> {
  const { kind, variable } = database;
  const wanted = `sandglass${kind === "postgres" && !(isNode && project.hasPg) ? " pg" : ""}`;
  const { add, setup } = MANAGERS[project.manager];
  const install = `${isNode ? add : "npm install --no-save"} ${wanted}`;
  const steps = [...prepare, ...(isNode ? [] : [install])].map((command) => `      - run: ${command}\n`);
  const [, ...others] = senders;
  const tests = ["", ...others.map(({ name }) => `SENDER=${name.value} `)];
  return {
    ...{ config: isNode ? "ts" : "mjs", sender: senders[0]!.name.value, variable: variable.value },
    database: kind === "postgres" ? template("postgres") : "",
    setup: isNode ? setup : "",
    prepare: steps.join(""),
    script: project.manager === "npm" ? "npm run" : project.manager,
    tests: tests
      .map((before) => `      - run: ${before}${isNode ? "{{run}}" : "npx"} sandglass test\n`)
      .join(""),
    add: isNode && project.installed && wanted === "sandglass" ? "" : `  ${install}\n`,
    first: isNode && prepare.includes("{{script}} build") ? "  {{script}} build\n" : "",
  };
}

const template = (name: string): string => readFileSync(inPackage(`fixtures/init/${name}.template`), "utf8");

/** The parts of a framework's template, by the words after `////`. */
function partsOf(framework: Project["framework"]): Record<string, string> {
  const [, ...parts] = template(framework.toLowerCase()).split(/^\/\/\/\/ (.+)\n/m);
  return Object.fromEntries(parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1]!]] : [])));
}

/** Types are in comments as Flow has them: TypeScript gets them as code, JavaScript without. */
const inLanguage = (text: string, typed: boolean): string =>
  typed
    ? text.replaceAll(/\/\*:: ?(.*?) \*\//gs, "$1").replaceAll(/\/\*: (.*?) \*\//gs, ": $1")
    : text
        .replaceAll(/^\/\*::.*?\*\/\n/gms, "")
        .replaceAll(/\/\*::?.*?\*\//gs, "")
        .replaceAll(/\n{3,}/g, "\n\n");
