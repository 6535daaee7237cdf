import { readFileSync } from "node:fs";
import { inPackage } from "../../runtime/package.ts";
import { printable } from "../output.ts";
import { serviceVariables } from "./ci-database.ts";
import { configOf } from "./config.ts";
import { isServer, type ServerKind } from "./database-kinds.ts";
import type { Handler } from "./handler.ts";
import type { Project } from "./project.ts";
import { senderFileOf } from "./sender-file.ts";
import { readData } from "./sources.ts";

export interface ProjectFile {
  path: string;
  /** A description for the printed list. */
  what: string;
  text: string;
  /** Whether the text is added to an existing file. */
  isAddition?: true;
  /** Whether an existing file is replaced. */
  replaces?: boolean;
}

/** The contents of `projects.json`: package managers, test runners, and each file's path, description and template. */
interface Words {
  managers: Record<Project["manager"], Record<"install" | "run" | "script" | "add" | "setup", string>>;
  runners: Record<Project["runner"], string>;
  files: Record<"platform" | "sender" | "skill", [path: string, what: string, template: string][]>;
}

/**
 * The files to write for a project, and the next steps.
 * @param wanted whether to write only instructions for coding agents, and the new server's port
 * @param handler the project's webhook handler; without one, a new handler is written
 */
export function filesFor(
  project: Project,
  wanted: { skill: boolean; port: number },
  handler?: Handler,
): { files: ProjectFile[]; next: string } {
  const { framework, runner, extension, typed } = project;
  const { managers, runners, files: all }: Words = readData("projects");
  const manager = managers[project.manager];
  const parts = partsOf(framework);
  const values: Record<string, string> = {
    ...manager,
    ...{ imports: "", "server imports": "", ...parts, folder: project.folder },
    ...{
      handler: `webhooks.${extension}`,
      server: "webhooks.server.mjs",
      "script ending": typed ? "ts" : "js",
    },
    ...{ test: "webhooks.test.mjs", explore: "webhooks.explore.mjs", tests: runners[runner] },
    add: project.installed ? "" : `  ${manager.add} sandglass\n`,
    browser:
      runner === "Playwright" ? `\n      - run: ${manager.run} playwright install --with-deps chromium` : "",
    export: framework === "Next" ? "POST" : "webhooks",
    module: extension === "ts" ? "webhooks" : `webhooks.${extension}`,
    runner: runner.toLowerCase().replace(":", "-"),
    ...{ port: String(wanted.port), skill: handler ? "skill-sender" : "skill", config: "ts" },
    ...(handler && valuesOf(handler, project, manager)),
    // The templates contain the line that mounts the route.
    mount: /\/\*\* (.*) \*\//.exec(parts.route!)![1]!,
  };
  const fill = (text: string): string =>
    text.replaceAll(/\{\{([\w -]+)\}\}/g, (_, name: string) => fill(values[name] ?? template(name)));
  const listed = all[wanted.skill ? "skill" : handler ? "sender" : "platform"];
  const files = listed.flatMap(([path, what, name]) => {
    if (name === "next-route" && framework !== "Next") return [];
    const text = handler && name === "config" ? configOf(handler) : fill(template(fill(name)));
    return [{ path: fill(path), what, text: name === "handler" ? inLanguage(text, typed) : text }];
  });
  const described = handler?.senders.flatMap(({ signature }) => signature ?? []) ?? [];
  if (!wanted.skill) files.push(...described.map(senderFileOf));
  return { files, next: wanted.skill ? "" : fill(template(handler ? "then-sender" : "then")) };
}

function valuesOf(
  { senders, database, prepare, isNode }: Handler,
  { installed }: Project,
  { add, setup }: Words["managers"]["npm"],
): Record<string, string> {
  const { kind } = database;
  const command = isNode ? add : "npm install --no-save";
  const install = `${command} sandglass`;
  const steps = [...prepare.commands, ...(isNode ? [] : [install])].map((one) => `      - run: ${one}\n`);
  const tests = senders.map(({ name }, index) => (index > 0 ? `SENDER=${name.value} ` : ""));
  return {
    ...{ config: isNode ? "ts" : "mjs", setup: isNode ? setup : "" },
    ...{ database: "", ...(isServer(kind) && serviceOf(kind, database)) },
    prepare: [...steps, ...(isServer(kind) ? lacking(senders, prepare) : [])].join(""),
    tests: tests
      .map((before) => `      - run: ${before}${isNode ? "{{run}}" : "npx"} sandglass test\n`)
      .join(""),
    add: installed ? "" : `  ${install}\n`,
    describe: describe(senders),
    first: isNode && prepare.commands.includes("{{script}} build") ? "  {{script}} build\n" : "",
  };
}

/** Names what the job's database, which is empty at first, does not get from the project's own commands. */
function lacking(senders: Handler["senders"], { hasTables, hasRows }: Handler["prepare"]): string[] {
  const known = senders.flatMap((one) => one.known ?? []).filter(({ from }) => from !== undefined);
  const rows = known.map(({ name, value, from }) => `the row with ${name} ${value} (${from})`);
  const lacks = [...(hasTables ? [] : ["its tables"]), ...(hasRows ? [] : rows)];
  return lacks.length === 0
    ? []
    : [`      # The job's database is empty: create ${printable(lacks.join(", "))} here.\n`];
}

/** The CI job's database service, and its variables. */
const serviceOf = (kind: ServerKind, database: Handler["database"]): Record<string, string> => ({
  database: template(kind),
  variables: serviceVariables(kind, database)
    .map(([name, value]) => `      ${name}: ${isPlain(value) ? value : JSON.stringify(value)}\n`)
    .join(""),
});

/** Whether YAML reads a text as it is written. */
const isPlain = (text: string): boolean => /^[a-z][\w:/@.?=&+%-]*$|^\d+(?:\.\d+){0,3}$/i.test(text);

/** Describes the first step for a sender that the package does not include. */
const describe = (senders: Handler["senders"]): string => {
  const described = senders.flatMap(({ signature }) => signature ?? []);
  if (described.length === 0) return senders[0]!.name.value === "" ? template("describe") : "";
  return described
    .map(({ name }) => `  fill in senders/${name}.yaml: its events, and its signature\n`)
    .join("");
};

const template = (name: string): string => readFileSync(inPackage(`fixtures/init/${name}.template`), "utf8");

/** The parts of a framework's template, keyed by the word after `////`. */
function partsOf(framework: Project["framework"]): Record<string, string> {
  const [, ...parts] = template(framework.toLowerCase()).split(/^\/\/\/\/ (.+)\n/m);
  return Object.fromEntries(parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1]!]] : [])));
}

/**
 * Templates contain types as comments, as in Flow. For TypeScript, the comments become code; for JavaScript, they are
 * removed.
 */
const inLanguage = (text: string, typed: boolean): string =>
  typed
    ? text.replaceAll(/\/\*:: ?(.*?) \*\//gs, "$1").replaceAll(/\/\*: (.*?) \*\//gs, ": $1")
    : text
        .replaceAll(/^\/\*::.*?\*\/\n/gms, "")
        .replaceAll(/\/\*::?.*?\*\//gs, "")
        .replaceAll(/\n{3,}/g, "\n\n");
