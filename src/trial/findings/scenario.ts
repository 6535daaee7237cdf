import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SandboxError } from "../../errors/errors.ts";
import { refuseLinks } from "../../runtime/private-files.ts";
import { shellArgument } from "../../runtime/shell.ts";
import type { Exploration, Finding } from "../schedules/exploration.ts";
import type { DeviationKind } from "../schedules/schedule.ts";
import { isTables } from "../subject/tables.ts";
import { actsOf, isAboutSecond } from "./acts.ts";
import { expectationLines } from "./expectations.ts";
import { faultLines, faultTitle } from "./fault-lines.ts";
import { replayText } from "./findings.ts";
import { headline, oftenWords } from "./headline.ts";
import { importPath } from "./import-path.ts";
import { literal } from "./literal.ts";
import { ownStory, type PlayedStory } from "./own-code.ts";
import { indent, step, storySteps } from "./steps.ts";
import { type StoryCode, senderCode, storyCode } from "./story-code.ts";

/** The longest name of a file without `explore-` and its number. */
const NAME_LENGTH = 45;
/** Words that a name does without. */
const SMALL_WORDS = new Set("a an the is are be ends end up of as in from instead should it its".split(" "));

/** Why no scenario has a deviation: what it cannot do. */
const UNPLAYABLE: Partial<Record<DeviationKind, string>> = {
  crash: "kill your server",
  restart: "restart your server",
  "secret-rotated": "sign with two secrets",
  swap: "let the second of two requests arrive first",
  ...Object.fromEntries(
    ["overlap-5", "overlap-30", "overlap-100"].map((kind) => [
      kind,
      "say when the second of two requests arrives",
    ]),
  ),
};

/** How long a state must stay as it is, in real milliseconds, for a subscriber that works on so long after its answers. */
const quietFor = (lag: number): number => Math.max(100, Math.ceil((2 * lag) / 100) * 100);

/** What an exploration has from the command line alone: the configuration is there for a scenario as well. */
export interface SaveOptions {
  headerPrefix?: string | undefined;
  /** Where the scenario goes; a story of one's own is imported from there. */
  folder?: string | undefined;
}

/**
 * Writes the scenario that plays a finding again into a folder. It fails as long as the bug is there.
 * @returns its path; that of an earlier one with the same text, if there is one
 * @throws SandboxError `invalid_state` for a subscriber without addresses, and for a finding that no scenario can play
 */
export function writeScenario(folder: string, exploration: Exploration, options: SaveOptions = {}): string {
  refuseLinks(folder);
  mkdirSync(folder, { recursive: true });
  const base = scenarioName(exploration.finding!);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    const path = join(folder, `${name}.ts`);
    const text = scenarioText(name, exploration, { ...options, folder });
    refuseLinks(path);
    const earlier = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (earlier !== undefined && earlier !== text) continue;
    if (earlier === undefined) writeFileSync(path, text);
    return path;
  }
}

function configLines({ payments, sender }: StoryCode, headerPrefix: string | undefined): string[] {
  const sections = [
    ...(payments === undefined ? [] : [`payments: ${payments}`]),
    ...(sender === undefined ? [] : [`senders: [${sender}]`]),
    ...(headerPrefix === undefined ? [] : [`webhooks: ${literal({ headerPrefix })}`]),
  ];
  return sections.length === 0 ? [] : [`config: { ${sections.join(", ")} },`];
}

/**
 * The scenario that plays a finding again, under its first name.
 * @throws SandboxError as `writeScenario`
 */
export function savedScenario(exploration: Exploration): { name: string; text: string } {
  const name = scenarioName(exploration.finding!);
  return { name, text: scenarioText(name, exploration) };
}

/** `explore-paid-order-cancelled`. */
function scenarioName(finding: Finding): string {
  const words = headline(finding)
    .replace(/ends? up as .*/, "wrong")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && !SMALL_WORDS.has(word));
  let name = "explore";
  for (const word of words) if (`${name}-${word}`.length <= NAME_LENGTH) name += `-${word}`;
  return name;
}

/** A scenario that plays a finding again, as a person would write it. */
export function scenarioText(
  name: string,
  exploration: Exploration,
  { headerPrefix, folder = "." }: SaveOptions = {},
): string {
  const { story, stateUrl, reset, finding, callsApi } = exploration;
  const again = `Play it again: --replay ${shellArgument(replayText(story.name, finding!.run.schedule))}`;
  const left = finding!.run.schedule.map(({ kind }) => UNPLAYABLE[kind]).find(Boolean);
  if (left)
    throw new SandboxError(
      "invalid_state",
      `The finding cannot be saved as a scenario: a scenario cannot ${left}.`,
      again,
    );
  if (callsApi)
    throw new SandboxError(
      "invalid_state",
      "The finding cannot be saved as a scenario: your server calls the platform's API, and a scenario has one at another address.",
      again,
    );
  if (stateUrl === null)
    throw new SandboxError(
      "invalid_state",
      "A finding about a function cannot be saved as a scenario: a scenario calls a server.",
      "Explore the server that the function belongs to, or keep the exploration as a test.",
    );
  // Tables are put back afterwards, as explore does.
  const keeps = reset === null && isTables(stateUrl);
  if (reset === null && !keeps)
    throw new SandboxError(
      "invalid_state",
      "The finding cannot be saved as a scenario: nothing would empty your server before it.",
      `With --reset, a URL or a command that empties it, it is saved. ${again}`,
    );
  const isUrl = /^https?:\/\//i.test(reset ?? "");
  const hasUrl = /^https?:\/\//i.test(stateUrl);
  const stateWords = hasUrl
    ? "returns the state as JSON"
    : keeps
      ? "sqlite: and the file of a database, or a postgres:// URL"
      : "sqlite: and a database, or a command that prints the state as JSON";
  const title = headline(finding!).replace(/\.$/, "");
  const resetting = keeps
    ? []
    : isUrl
      ? ['expect((await fetch(params.reset, { method: "POST" })).ok).toBe(true);']
      : ['execSync(params.reset, { stdio: "inherit" });'];
  const played =
    story.file === null
      ? shippedStory(exploration, resetting, folder, headerPrefix)
      : ownStory(finding!.run, resetting, importPath(folder, story.file), headerPrefix);
  const last = step({
    title: "In the end, the state is as if nothing had gone wrong",
    code: [
      "const state = await settledState(params.state);",
      "// As in the run in which everything went well. If that is wrong itself, correct it here.",
      ...expectationLines(exploration),
    ],
  });
  const steps = [...played.steps, last].flatMap((lines) => ["", ...lines]).slice(1);
  return [
    ...(isUrl || keeps ? [] : ['import { execSync } from "node:child_process";']),
    'import { setTimeout } from "node:timers/promises";',
    `import { defineScenario${keeps ? ", keepTables" : ""}${hasUrl ? "" : ", readState"} } from "sandglass";`,
    ...played.head,
    "",
    "/** Reads the state until it no longer changes, as a server may go on working after it has answered. */",
    `async function settledState(${hasUrl ? "url" : "source"}: string) {`,
    `  for (let before = ""; ; await setTimeout(${quietFor(exploration.calm.lag)})) {`,
    hasUrl
      ? "    const text = await (await fetch(url)).text();"
      : "    const text = JSON.stringify(await readState(source));",
    "    if (text === before) return JSON.parse(text);",
    "    before = text;",
    "  }",
    "}",
    "",
    "export default defineScenario({",
    ...indent(1, [
      ...played.base,
      `name: ${literal(name)},`,
      `title: ${literal(title)},`,
      "description:",
      `  ${literal(description(exploration))},`,
      ...played.fields,
      "params: {",
      ...indent(1, played.params),
      `  state: { default: ${literal(stateUrl)}, description: ${literal(stateWords)} },`,
      ...(keeps
        ? []
        : [
            `  reset: { default: ${literal(reset)}, description: "${isUrl ? "a POST empties the subscriber" : "a shell command that empties the subscriber"}" },`,
          ]),
      "},",
      ...played.run,
      '  if (subscriber === null) throw new Error("Run this with --subscriber <url> --secret <secret>.");',
      ...indent(1, played.helpers),
      "",
      ...indent(
        1,
        keeps
          ? [
              "const putBack = await keepTables(params.state);",
              "try {",
              ...indent(1, steps),
              "} finally {",
              "  await putBack();",
              "}",
            ]
          : steps,
      ),
      "},",
    ]),
    "});",
    "",
  ].join("\n");
}

/** A shipped story with its schedule, as a person would write it. */
function shippedStory(
  { story, calm, finding }: Exploration,
  resetting: readonly string[],
  folder: string,
  headerPrefix: string | undefined,
): PlayedStory {
  const { run } = finding!;
  const code = story.sender ? senderCode(story.sender, folder) : storyCode(story.name);
  const secondFault = faultLines(
    run.attempts.filter(({ second }) => second),
    "second",
  );
  const fault = [...faultLines(run.attempts.filter(({ second }) => !second)), ...secondFault];
  const acts = actsOf(run);
  const needsSecond = secondFault.length > 0 || acts.some((act) => isAboutSecond(act, run.attempts));
  const inbox = 'sandbox.inbox("shop").url';
  const endpoint = story.sender ? `{ url: ${inbox}, sender: ${literal(story.name)} }` : inbox;
  const needsEndpoint = fault.length > 0 || acts.length > 0;
  const begin = Date.parse(calm.timeline.changes[0]?.at ?? calm.timeline.now);
  return {
    ...{ head: [], base: [], params: [], helpers: code.helpers },
    fields: ['seed: "empty",', ...configLines(code, headerPrefix)],
    run: ["async run({ sandbox, step, expect, params, subscriber }) {"],
    steps: [
      step({
        title: `The subscriber ${resetting.length > 0 ? "is empty, and " : ""}takes every webhook`,
        ...(needsEndpoint ? { result: "{ id }" } : {}),
        code: [...resetting, `${needsEndpoint ? "return" : "await"} sandbox.webhooks.create(${endpoint});`],
      }),
      ...(run.second ? [step(secondEndpoint(inbox, needsSecond))] : []),
      ...(fault.length > 0 ? [step({ title: faultTitle(run.attempts), code: fault })] : []),
      ...storySteps(code, acts, run.attempts, begin),
    ],
  };
}

/** The step that registers the same URL again. @param isNeeded whether a later step does something to that endpoint */
const secondEndpoint = (url: string, isNeeded: boolean) => ({
  title: "The same URL is registered a second time",
  ...(isNeeded ? { result: "{ id: second }" } : {}),
  code: [`${isNeeded ? "return" : "await"} sandbox.webhooks.create({ url: ${url}, another: true });`],
});

const description = ({ story, finding }: Exploration): string =>
  [`Found by sandglass explore in the story ${story.name}.`, finding!.why, oftenWords(finding!)]
    .filter(Boolean)
    .join(" ");
