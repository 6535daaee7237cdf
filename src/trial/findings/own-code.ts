import { iso } from "../../world/duration.ts";
import type { DrawnRun } from "../schedules/exploration.ts";
import { type Act, actsOf } from "./acts.ts";
import { faultLines } from "./fault-lines.ts";
import { literal } from "./literal.ts";
import { indent, step } from "./steps.ts";

/** The lines of a saved scenario that depend on where its story comes from. */
export interface PlayedStory {
  /** After the imports. */
  head: string[];
  /** The first fields of the scenario, the last ones before its parameters, and parameters. */
  base: string[];
  fields: string[];
  params: string[];
  /** The beginning of `run`, what its steps use, and the steps. */
  run: string[];
  helpers: string[];
  steps: string[][];
}

/** A scenario of one's own as a saved one plays it: as it is, with the schedule around it. */
export function ownStory(
  run: DrawnRun,
  resetting: readonly string[],
  path: string,
  headerPrefix: string | undefined,
): PlayedStory {
  const fault = faultLines(run.attempts);
  const acts = actsOf(run);
  const prefixed = `webhooks: { ...story.config?.webhooks, headerPrefix: ${literal(headerPrefix)} }`;
  return {
    head: [`import story from ${literal(path)};`, "", ...EXPECT_ANYTHING],
    base: ["...story,"],
    fields: headerPrefix === undefined ? [] : [`config: { ...story.config, ${prefixed} },`],
    params: ["...story.params,"],
    run: ["async run(context) {", "  const { sandbox, step, expect, params, subscriber } = context;"],
    helpers: ['let id = "";', ...(acts.length > 0 ? actLines(acts) : [])],
    steps: [
      ...(resetting.length > 0 ? [step({ title: "The subscriber is empty", code: [...resetting] })] : []),
      playLines(fault, acts.length > 0),
      step({ title: "Every retry that is due is made", code: 'sandbox.clock.advance({ until: "idle" })' }),
    ],
  };
}

const EXPECT_ANYTHING = [
  "/** What the story expects holds when everything goes well. Here, nothing of it is checked. */",
  "const anything: any = new Proxy(() => undefined, {",
  '  get: (_target, name) => (name === "then" ? undefined : anything),',
  "  apply(_target, _self, [value]) {",
  "    if (value instanceof Promise) value.catch(() => undefined);",
  "    return anything;",
  "  },",
  "});",
];

/** @param isPaused whether a person does something between the calls of the story */
function playLines(fault: readonly string[], isPaused: boolean): string[] {
  const pausing = (part: string, calls: string[]) =>
    `    ${part}: { ...sandbox.${part}, ${calls.map((call) => `${call}: pausing(sandbox.${part}.${call})`).join(", ")} },`;
  return [
    "await story.run({",
    "  ...context,",
    "  expect: anything,",
    ...(isPaused ? ["  step: pausing(step),"] : []),
    "  sandbox: {",
    "    ...sandbox,",
    ...(isPaused ? [pausing("clock", ["advance", "set"]), pausing("payments", ["pay", "expire"])] : []),
    "    webhooks: {",
    "      ...sandbox.webhooks,",
    "      create: async (options) => {",
    "        const endpoint = await sandbox.webhooks.create(options);",
    "        id = endpoint.id;",
    ...indent(4, fault),
    "        return endpoint;",
    "      },",
    "    },",
    "  },",
    "});",
    ...(isPaused
      ? [
          "for (const { at, act } of acts) {",
          "  await sandbox.clock.advance({ to: at });",
          "  await act();",
          "}",
        ]
      : []),
  ];
}

/** What a person does, at the pauses of the story and after it. */
function actLines(acts: readonly Act[]): string[] {
  return [
    "// What a person does, at a moment between the calls of the story, or after it.",
    "const acts = [",
    ...acts.map((act) => `  { pause: ${act.pause}, at: ${literal(iso(act.at))}, act: ${callOf(act)} },`),
    "];",
    "let pauses = 0;",
    "const pausing = (call: any) => async (...values: unknown[]) => {",
    "  const result = await call(...values);",
    "  pauses += 1;",
    "  while (acts[0]?.pause === pauses) await acts.shift()!.act();",
    "  return result;",
    "};",
  ];
}

function callOf(act: Act): string {
  if (act.kind === "test") return "() => sandbox.webhooks.test(id)";
  const first = act.kind === "retry" ? "id, " : "";
  if (act.kind !== "recover")
    return `async () => sandbox.webhooks.${act.kind}(${first}(await sandbox.webhooks.timeline(id)).attempts[${act.of}]!.delivery_id)`;
  const enable = act.enable[0] ? "await sandbox.webhooks.enable(id); " : "";
  return `async () => { ${enable}await sandbox.webhooks.retryFailed({ endpoint: id, since: "365d" }); }`;
}
