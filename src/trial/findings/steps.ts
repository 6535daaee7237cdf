import { DAY, HOUR, MINUTE, SECOND } from "../../timeline/duration.ts";
import type { SentAttempt } from "../schedules/attempt.ts";
import { type Act, attemptTitle, placeOf } from "./acts.ts";
import { literal } from "./literal.ts";
import type { CodeStep, StoryCode } from "./story-code.ts";

export const indent = (depth: number, lines: readonly string[]): string[] =>
  lines.map((line) => (line === "" ? "" : "  ".repeat(depth) + line));

/** A step, as a statement. */
export function step({ title, result, code }: CodeStep): string[] {
  const begin = `${result === undefined ? "" : `const ${result} = `}await step(${literal(title)}, `;
  if (typeof code === "string") return [`${begin}() => ${code});`];
  return [`${begin}async () => {`, ...indent(1, code), "});"];
}

/** The story with what a person does in between, and everything that is due after it. */
export function storySteps(
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
      title: act.enable[0]
        ? "The endpoint is enabled again, and what it missed is retried"
        : "What the subscriber missed is retried",
      code: [
        ...before,
        ...act.enable.map((name) => `await sandbox.webhooks.enable(${name});`),
        'await sandbox.webhooks.retryFailed({ since: "365d" });',
      ],
    });
  const { name, at } = placeOf(attempts, act.of);
  return step({
    title: `A person ${act.kind === "retry" ? "retries" : "resends"} ${attempts[act.of]!.event} by hand`,
    code: [
      ...before,
      `const { attempts } = await sandbox.webhooks.timeline(${name});`,
      `await sandbox.webhooks.${act.kind}(${act.kind === "retry" ? `${name}, ` : ""}attempts[${at}]!.delivery_id);`,
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
