import { globSync, readFileSync } from "node:fs";
import { expect, it, test } from "vitest";
import { TOOLS } from "../../src/mcp/server.ts";
import { inToolWords, TOOL_OF } from "../../src/mcp/tool-words.ts";

/** The files that tools call, so agents read their hints. */
const REACHED = [
  "src/{sandbox,world,payments,client,control,trial/check}/**/*.ts",
  "src/scenarios/files.ts",
  "src/cli/check/plan.ts",
];

/**
 * Commands for which there is no tool: agents run them, or ask the user to. `check tries` is part of a sentence in the
 * library.
 */
const WITHOUT_TOOL =
  /npx sandglass(?: (?:sessions|export|token|channels|worlds|requests|snapshot delete|snapshot save <name> --file|faults platform|openapi|webhooks test|check --list|check tries|explore|run [^-]|\$\{command\}|--)|$|\.)/;

/** Each placeholder counts as a single word, because its value is a single word. */
const commandsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/^[^*\n]*?(npx sandglass(?:\$\{\w+\}|[^"`\n])*)/gm)].map(
    ([, command]) => command!,
  );

test("hints in tool results refer to tools instead of commands", () => {
  const commands = REACHED.flatMap((pattern) => globSync(pattern)).flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(20);
  const left = commands.map((command) => inToolWords(command, {}).match(/npx sandglass.*/)?.[0]);
  expect(left.filter((command) => command && !WITHOUT_TOOL.test(command))).toEqual([]);
});

test.each(Object.entries(TOOL_OF))(
  "the tool for the command %s exists and accepts its argument",
  (_, [name, input]) => {
    const tool = TOOLS.find((one) => one.name === name)!;
    expect(tool).toBeDefined();
    if (input !== undefined) expect(Object.keys(tool.input.properties)).toContain(input);
  },
);

it.each([
  ["Did you mean: npx sandglass pay coffee", 'Did you mean: the tool pay with {"target":"coffee"}'],
  ["List them all: npx sandglass webhooks", "List them all: the tool status"],
  ["Empty it: npx sandglass reset. Or not.", "Empty it: the tool reset. Or not."],
  [
    "Advance: npx sandglass advance 1m. Or start with --rate-limit off.",
    'Advance: the tool advance with {"by":"1m"}. Or start with --rate-limit off.',
  ],
  ["Retry it: npx sandglass webhooks retry --failed", "Retry it: the tool retry_failed"],
  [
    "Save it: npx sandglass snapshot save <name> --file <file>",
    "Save it: npx sandglass snapshot save <name> --file <file>",
  ],
  ["Break it: npx sandglass webhooks fail last", "Break it: npx sandglass webhooks fail last"],
  ["See: npx sandglass pay --help", "See: npx sandglass pay --help"],
  ["For example: --until webhook.disabled", "For example: until webhook.disabled"],
])("a command in a hint is translated to a tool if there is one: %s", (command, tool) => {
  expect(inToolWords(command, { until: {} })).toBe(tool);
});
