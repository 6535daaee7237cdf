import type { SentAttempt } from "../schedules/attempt.ts";
import { attemptTitle, type EndpointName } from "./acts.ts";

/** The steps of a sequence, by what happens to an attempt. */
const FAULT_STEPS: Partial<Record<string, string>> = {
  lost: '"refused"',
  outage: '"refused"',
  "answer-lost": '{ kind: "reset", passThrough: true }',
  timeout: '"timeout"',
  slow: '{ kind: "timeout", overlap: true }',
  resend: '{ kind: "interrupted", passThrough: true }',
};

/**
 * The fault that does to each attempt of an endpoint what the schedule says; no lines if it needs none.
 * @param endpoint the variable with its id
 */
export function faultLines(attempts: readonly SentAttempt[], endpoint: EndpointName = "id"): string[] {
  const steps = attempts.map(({ deviation }) => FAULT_STEPS[deviation ?? ""] ?? '"deliver"');
  const length = steps.findLastIndex((one) => one !== '"deliver"') + 1;
  if (length === 0) return [];
  const set = (fault: string) => [`await sandbox.webhooks.fail(${endpoint}, ${fault});`];
  const [first, ...rest] = steps.slice(0, length) as [string, ...string[]];
  // Times says more than a list of equals.
  if (rest.length > 0 && rest.every((one) => one === first) && first === '"refused"')
    return set(`{ kind: "refused", times: ${length} }`);
  if (rest.length === 0)
    return set(first.startsWith("{") ? first.replace(" }", ", times: 1 }") : `{ kind: ${first}, times: 1 }`);
  const line = set(`{ sequence: [${[first, ...rest].join(", ")}] }`);
  if (line[0]!.length <= 96) return line;
  return [
    `await sandbox.webhooks.fail(${endpoint}, {`,
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

/** What the fault does, as the title of a step. */
export function faultTitle(attempts: readonly SentAttempt[]): string {
  const parts: string[] = [];
  for (const attempt of attempts) {
    const what = attemptTitle(attempt);
    const { deviation } = attempt;
    if (deviation === "lost" || deviation === "timeout") parts.push(`the network loses ${what}`);
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
