import { basename, dirname, relative, resolve } from "node:path";
import { iso } from "../../world/duration.ts";
import type { Act } from "./acts.ts";
import { literal } from "./literal.ts";
import { indent, step } from "./steps.ts";

/** A scenario of one's own as a saved scenario plays it: as it is, with the schedule around it. */

/** Where a file is, for an `import` of a file in a folder. */
export function importPath(folder: string, file: string): string {
  const path = relative(resolve(folder), dirname(resolve(file))).replaceAll("\\", "/");
  return literal(`${path.startsWith("..") ? path : `./${path}`}/${basename(file)}`.replace(/\/{2,}/g, "/"));
}

/** Values that take the place of what the story uses. */
export const OWN_HELPERS = [
  "/** What the story expects holds when everything goes well. Here, nothing of it is checked. */",
  "const anything: any = new Proxy(() => undefined, {",
  '  get: (_target, name) => (name === "then" ? undefined : anything),',
  "  apply(_target, _self, [value]) {",
  "    if (value instanceof Promise) value.catch(() => undefined);",
  "    return anything;",
  "  },",
  "});",
  "",
];

/** Plays the story with a schedule, and everything that is due after it. */
export function ownSteps(fault: readonly string[], acts: readonly Act[]): string[][] {
  const hasActs = acts.length > 0;
  const create = [
    "create: async (options) => {",
    "  const endpoint = await sandbox.webhooks.create(options);",
    ...(hasActs || fault.length > 0 ? ["  id = endpoint.id;"] : []),
    ...indent(1, fault),
    "  return endpoint;",
    "},",
  ];
  return [
    [
      ...(hasActs || fault.length > 0 ? ['let id = "";'] : []),
      ...(hasActs ? actLines(acts) : []),
      "await story.run({",
      "  ...context,",
      "  expect: anything,",
      ...(hasActs ? ["  step: pausing(context.step),"] : []),
      "  sandbox: {",
      "    ...sandbox,",
      ...(hasActs
        ? [
            "    clock: { ...sandbox.clock, advance: pausing(sandbox.clock.advance), set: pausing(sandbox.clock.set) },",
            "    payments: { ...sandbox.payments, pay: pausing(sandbox.payments.pay), expire: pausing(sandbox.payments.expire) },",
          ]
        : []),
      "    webhooks: {",
      "      ...sandbox.webhooks,",
      ...indent(3, create),
      "    },",
      "  },",
      "});",
      ...(hasActs
        ? [
            "for (const { at, act } of acts) {",
            "  await sandbox.clock.advance({ to: at });",
            "  await act();",
            "}",
          ]
        : []),
    ],
    step({
      title: "Every retry that is due is made",
      code: 'sandbox.clock.advance({ until: "idle" })',
    }),
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
  if (act.kind === "retry")
    return `async () => sandbox.webhooks.retry(id, (await sandbox.webhooks.timeline(id)).attempts[${act.of}]!.delivery_id)`;
  const enable = act.enable ? "await sandbox.webhooks.enable(id); " : "";
  return `async () => { ${enable}await sandbox.webhooks.retryFailed({ endpoint: id, since: "365d" }); }`;
}
