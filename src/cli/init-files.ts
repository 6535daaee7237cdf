import { readFileSync } from "node:fs";
import { inPackage } from "../runtime/package.ts";
import { configTemplate, ownServer } from "./config-template.ts";
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
  /** A handler of the platform's webhooks, also for a project that gets those of another sender. */
  platform: boolean;
  /** Where the server listens. */
  port: number;
}

/** The files for a project, and what to do next. */
export function filesFor(
  project: Project,
  { skill, platform, port }: Wanted,
): { files: ProjectFile[]; next: string } {
  const { framework, runner, extension, typed } = project;
  const manager = MANAGERS[project.manager];
  const parts = partsOf(framework);
  const [sender] = platform ? [] : project.senders;
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
    ...{ port: String(port), sender: sender ?? "", skill: sender === undefined ? "skill" : "skill-sender" },
    // The templates say where to mount the route.
    mount: /\/\*\* (.*) \*\//.exec(parts.route!)![1]!,
  };
  const fill = (text: string): string =>
    text.replaceAll(/\{\{([\w -]+)\}\}/g, (_, name: string) => fill(values[name] ?? template(name)));
  const listed = skill
    ? [SKILL]
    : FILES.filter(
        ([, , name]) => name === "config" || (!sender && (name !== "next-route" || framework === "Next")),
      );
  const set = sender === undefined ? ownServer(port) : { senders: project.senders };
  const files = listed.map(([path, what, name]) => {
    const text = name === "config" ? configTemplate(set) : fill(template(fill(name)));
    return { path: fill(path), what, text: name === "handler" ? inLanguage(text, typed) : text };
  });
  return { files, next: skill ? "" : fill(template(sender === undefined ? "then" : "then-sender")) };
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
