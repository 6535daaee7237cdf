import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SandboxError } from "../../errors/errors.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../story/duration.ts";
import type { SentAttempt } from "../attempt.ts";
import type { Exploration, Finding } from "../exploration.ts";
import { type Act, actsOf, attemptTitle } from "./acts.ts";
import { expectationLines } from "./expectations.ts";
import { headline } from "./headline.ts";
import { literal } from "./literal.ts";
import { advice, whatHappened } from "./reason.ts";
import { type CodeStep, STORY_CODE, type StoryCode } from "./story-code.ts";

/** The longest name of a file without `explore-` and its number. */
const NAME_LENGTH = 45;
/** Words that a name does without. */
const SMALL_WORDS = new Set("a an the is are be ends end up of as in from instead should it its".split(" "));

/** What an exploration was told on the command line, and not by the configuration that a scenario has as well. */
export interface SaveOptions {
  headerPrefix?: string | undefined;
}

/**
 * Writes the scenario that plays a finding again into a folder. It fails as long as the bug is there.
 * @returns its path; that of an earlier one with the same text, if there is one
 * @throws SandboxError `invalid_state` for a subscriber without addresses, and for a finding that no scenario can play
 */
export function writeScenario(folder: string, exploration: Exploration, options: SaveOptions = {}): string {
  mkdirSync(folder, { recursive: true });
  const base = scenarioName(exploration.finding!);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    const path = join(folder, `${name}.ts`);
    const text = scenarioText(name, exploration, options);
    if (existsSync(path) && readFileSync(path, "utf8") !== text) continue;
    writeFileSync(path, text);
    return path;
  }
}

function configLines({ payments }: StoryCode, headerPrefix: string | undefined): string[] {
  const sections = [
    ...(payments === undefined ? [] : [`payments: ${payments}`]),
    ...(headerPrefix === undefined ? [] : [`webhooks: ${literal({ headerPrefix })}`]),
  ];
  return sections.length === 0 ? [] : [`config: { ${sections.join(", ")} },`];
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
  { headerPrefix }: SaveOptions = {},
): string {
  const { story, stateUrl, reset, calm, finding } = exploration;
  if (stateUrl === null || reset === null)
    throw new SandboxError(
      "invalid_state",
      "A finding about a function cannot be saved as a scenario: a scenario calls a server.",
      "Explore the server that the function belongs to, or keep the exploration as a test.",
    );
  const { run } = finding!;
  const code = STORY_CODE[story.name];
  if (!code || story.file !== null)
    throw new SandboxError(
      "invalid_state",
      `The story ${story.name} cannot be saved as a scenario.`,
      `Only shipped stories can: ${Object.keys(STORY_CODE).join(", ")}.`,
    );
  const isUrl = /^https?:\/\//i.test(reset);
  const title = headline(finding!).replace(/\.$/, "");
  const fault = faultLines(run.attempts);
  const acts = actsOf(run);
  const needsEndpoint = fault.length > 0 || acts.length > 0;
  const begin = Date.parse(calm.timeline.changes[0]?.at ?? calm.timeline.now);
  const steps = [
    step({
      title: "The subscriber is empty, and takes every webhook",
      ...(needsEndpoint ? { result: "{ id }" } : {}),
      code: [
        isUrl
          ? 'expect((await fetch(params.reset, { method: "POST" })).ok).toBe(true);'
          : 'execSync(params.reset, { stdio: "inherit" });',
        `${needsEndpoint ? "return" : "await"} sandbox.webhooks.create(sandbox.inbox("shop").url);`,
      ],
    }),
    ...(fault.length > 0 ? [step({ title: faultTitle(run.attempts), code: fault })] : []),
    ...storySteps(code, acts, run.attempts, begin),
    step({
      title: "In the end, the state is as if nothing had gone wrong",
      code: ["const state = await readState(params.state);", ...expectationLines(finding!, calm.state)],
    }),
  ];
  return [
    ...(isUrl ? [] : ['import { execSync } from "node:child_process";']),
    'import { setTimeout } from "node:timers/promises";',
    'import { defineScenario } from "sandglass";',
    "",
    "/** Reads the state until it no longer changes, as a server may go on working after it has answered. */",
    "async function readState(url: string) {",
    '  for (let before = ""; ; await setTimeout(100)) {',
    "    const text = await (await fetch(url)).text();",
    "    if (text === before) return JSON.parse(text);",
    "    before = text;",
    "  }",
    "}",
    "",
    "export default defineScenario({",
    ...indent(1, [
      `name: ${literal(name)},`,
      `title: ${literal(title)},`,
      "description:",
      `  ${literal(description(exploration))},`,
      'seed: "empty",',
      ...configLines(code, headerPrefix),
      "params: {",
      `  state: { default: ${literal(stateUrl)}, description: "returns the state as JSON" },`,
      `  reset: { default: ${literal(reset)}, description: "${isUrl ? "a POST empties the subscriber" : "a shell command that empties the subscriber"}" },`,
      "},",
      "async run({ sandbox, step, expect, params, subscriber }) {",
      '  if (subscriber === null) throw new Error("Run this with --subscriber <url> --secret <secret>.");',
      ...indent(1, code.helpers),
      ...steps.flatMap((lines) => ["", ...indent(1, lines)]),
      "},",
    ]),
    "});",
    "",
  ].join("\n");
}

const indent = (depth: number, lines: readonly string[]): string[] =>
  lines.map((line) => (line === "" ? "" : "  ".repeat(depth) + line));

function description({ story, finding }: Exploration): string {
  const { run } = finding!;
  return [`Found by sandglass explore in the story ${story.name}.`, ...whatHappened(run), advice(run)].join(
    " ",
  );
}

/** A step, as a statement. */
function step({ title, result, code }: CodeStep): string[] {
  const begin = `${result === undefined ? "" : `const ${result} = `}await step(${literal(title)}, `;
  if (typeof code === "string") return [`${begin}() => ${code});`];
  return [`${begin}async () => {`, ...indent(1, code), "});"];
}

/** The steps of a sequence, by what happens to an attempt. */
const FAULT_STEPS: Partial<Record<string, string>> = {
  lost: '"refused"',
  outage: '"refused"',
  "answer-lost": '{ kind: "reset", passThrough: true }',
  slow: '{ kind: "timeout", overlap: true }',
  resend: '{ kind: "interrupted", passThrough: true }',
};

/** The fault that does to each attempt what the schedule says; none if nothing happens on the way. */
function faultLines(attempts: readonly SentAttempt[]): string[] {
  const steps = attempts.map(({ deviation }) => FAULT_STEPS[deviation ?? ""] ?? '"deliver"');
  const length = steps.findLastIndex((one) => one !== '"deliver"') + 1;
  if (length === 0) return [];
  const set = (fault: string) => [`await sandbox.webhooks.fail(id, ${fault});`];
  const [first, ...rest] = steps.slice(0, length) as [string, ...string[]];
  // Times says more than a list of equals.
  if (rest.length > 0 && rest.every((one) => one === first) && first === '"refused"')
    return set(`{ kind: "refused", times: ${length} }`);
  if (rest.length === 0)
    return set(first.startsWith("{") ? first.replace(" }", ", times: 1 }") : `{ kind: ${first}, times: 1 }`);
  const line = set(`{ sequence: [${[first, ...rest].join(", ")}] }`);
  if (line[0]!.length <= 96) return line;
  return [
    "await sandbox.webhooks.fail(id, {",
    "  sequence: [",
    ...grouped([first, ...rest]).map((one) => `    ${one},`),
    "  ],",
    "});",
  ];
}

/** Equal neighbours as one line. */
function grouped(steps: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < steps.length; ) {
    let end = at + 1;
    while (end < steps.length && steps[end] === steps[at]) end += 1;
    lines.push(
      end - at > 2
        ? `...Array(${end - at}).fill(${steps[at]})`
        : Array(end - at)
            .fill(steps[at])
            .join(", "),
    );
    at = end;
  }
  return lines;
}

/** What happens on the way, as the title of a step. */
function faultTitle(attempts: readonly SentAttempt[]): string {
  const parts: string[] = [];
  for (const attempt of attempts) {
    const what = attemptTitle(attempt);
    const { deviation } = attempt;
    if (deviation === "lost") parts.push(`the network loses ${what}`);
    if (deviation === "answer-lost") parts.push(`the answer to ${what} is lost`);
    if (deviation === "slow")
      parts.push(`the subscriber still works on ${what} when the next request arrives`);
    if (deviation === "resend") parts.push(`the platform restarts while it sends ${what}`);
    if (deviation === "outage" && !parts.includes(DOWN)) parts.push(DOWN);
  }
  const text = parts.join(", then ");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
const DOWN = "the subscriber is down";

/** The story with what a person does in between, and everything that is due after it. */
function storySteps(
  { steps }: StoryCode,
  acts: readonly Act[],
  attempts: readonly SentAttempt[],
  begin: number,
): string[][] {
  const found: string[][] = [];
  let now = begin;
  const todo = [...acts];
  steps.forEach((one, index) => {
    found.push(step({ ...one, code: withOverlaps(one.code, attempts, index + 1) }));
    now += one.takes ?? 0;
    while (todo[0]?.pause === index + 1) found.push(actStep(todo.shift()!, [], attempts));
  });
  for (const act of todo) {
    if (act.kind === "recover") {
      const before = attempts.filter(({ at }) => at < act.at).at(-1);
      found.push(actStep(act, before ? ['await sandbox.clock.advance({ until: "idle" });'] : [], attempts));
    } else {
      const wait = act.at > now ? [`await sandbox.clock.advance("${durationText(act.at - now)}");`] : [];
      found.push(actStep(act, wait, attempts));
    }
    now = act.at;
  }
  found.push(
    step({
      title:
        todo.length > 0 || acts.length > 0
          ? "Everything else that is due happens"
          : "Every retry that is due is made",
      code: 'sandbox.clock.advance({ until: "idle" })',
    }),
  );
  return found;
}

/** Names the events of a step that a scenario lets overlap by itself. */
function withOverlaps(code: CodeStep["code"], attempts: readonly SentAttempt[], pause: number) {
  const at = attempts.findIndex((one) => one.deviation === "overlap" && one.pause === pause - 1);
  if (at < 0) return code;
  const [first, second] = [attempts[at]!, attempts[at + 1]!];
  const note = `// ${attemptTitle(first)} and ${attemptTitle(second)} are sent at the same time.`;
  return [note, ...(typeof code === "string" ? [`await ${code};`] : code)];
}

function actStep(act: Act, before: readonly string[], attempts: readonly SentAttempt[]): string[] {
  if (act.kind === "test")
    return step({
      title: "A developer sends a test delivery",
      code:
        before.length === 0 ? "sandbox.webhooks.test(id)" : [...before, "await sandbox.webhooks.test(id);"],
    });
  if (act.kind === "recover")
    return step({
      title: act.enable
        ? "The endpoint is enabled again, and what it missed is retried"
        : "What the subscriber missed is retried",
      code: [
        ...before,
        ...(act.enable ? ["await sandbox.webhooks.enable(id);"] : []),
        'await sandbox.webhooks.retryFailed({ since: "365d" });',
      ],
    });
  return step({
    title: `A person retries ${attempts[act.of]!.event} by hand`,
    code: [
      ...before,
      "const { attempts } = await sandbox.webhooks.timeline(id);",
      `await sandbox.webhooks.retry(id, attempts[${act.of}]!.delivery_id);`,
    ],
  });
}

/** `1m30s`, as durations are written in code. */
function durationText(ms: number): string {
  let rest = ms;
  const parts = (
    [
      [DAY, "d"],
      [HOUR, "h"],
      [MINUTE, "m"],
      [SECOND, "s"],
    ] as const
  ).map(([length, unit]) => {
    const whole = Math.floor(rest / length);
    rest -= whole * length;
    return whole === 0 ? "" : `${whole}${unit}`;
  });
  return parts.join("") + (rest === 0 ? "" : `${rest}ms`);
}
