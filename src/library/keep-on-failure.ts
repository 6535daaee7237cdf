import type { Access } from "../client/sandbox.ts";
import { SandboxError } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import type { Sandbox } from "./index.ts";
import { fileNameOf, forgetFailed, KEEP, keepFailed, keptFiles } from "./keep.ts";

/**
 * A test, as `keepOnFailure` takes it: its name, or what has one, such as the context of node:test.
 * @example
 * const named: NamedTest = "an order is shipped once it is paid";
 */
export type NamedTest = string | { readonly name: string; readonly fullName?: string };

/**
 * Runs the body of a test. If it fails, the world is saved to `sandglass-failed/`, with a page that shows what happened
 * in it meanwhile, as `sandglass run` and `sandglass exec` save theirs. The error's message then ends with where they
 * are, and with the hint of a `SandboxError`. Files of an earlier failure are removed when it passes.
 *
 * @example
 * test("an order is shipped once it is paid", (t) => keepOnFailure(sandbox, t, async () => {
 *   await sandbox.payments.pay("coffee");
 *   assert.equal(await ordersShipped(), 1);
 * }));
 * @param world a sandbox of `createSandbox()` or `connect()`, or a world of one; it stays open
 * @param test the test's name, or node:test's context: the files are named for it
 * @returns what the body returns
 * @throws what the body throws
 */
export async function keepOnFailure<Result>(
  world: Sandbox,
  test: NamedTest,
  body: () => Result | Promise<Result>,
): Promise<Result> {
  const name: unknown = typeof test === "string" ? test : (test?.fullName ?? test?.name);
  if (typeof name !== "string" || typeof body !== "function")
    throw new SandboxError(
      "bad_request",
      typeof name !== "string"
        ? `keepOnFailure takes a test's name or its context, not ${shownValue(test)}.`
        : `keepOnFailure takes the body of a test as a function, not ${shownValue(body)}.`,
      'For example keepOnFailure(sandbox, "an order is shipped", async () => { … }).',
    );
  // Loaded when a test runs: a configuration that imports `defineConfig` beside this waits for none of it.
  const { accessOf } = await import("../client/sandbox.ts");
  const access = accessOf(world, "keepOnFailure");
  const { last_seq: after } = await access.client.status();
  let result: Result;
  try {
    result = await body();
  } catch (error) {
    const where = await keepWorld({ ...access, after }, name);
    if (isError(error)) explain(error, where);
    else process.stderr.write(`${where}\n`);
    throw error;
  }
  forgetWorld(name);
  return result;
}

/**
 * Saves the world of a test that failed.
 * @returns where it is, for the person who reads of the failure
 */
export function keepWorld({ client, after }: Access, test: string): Promise<string> {
  return keepFailed(keptFiles(KEEP, fileNameOf(test)), {
    world: () => client.snapshotFile(),
    page: () => client.worldPage(`${test} failed`, after),
  });
}

/** Removes what is left of an earlier failure of a test. */
export const forgetWorld = (test: string): void => forgetFailed(keptFiles(KEEP, fileNameOf(test)));

/** An error that was thrown, or what a runner made of one to report it. */
export interface ReportedError {
  message: string;
  stack?: string | undefined;
  cause?: unknown;
  hint?: unknown;
}

/** Adds to an error's message what helps: the hints of it and its causes, which not every runner shows, and more lines. */
export function explain(error: ReportedError, ...more: readonly string[]): void {
  const seen = new Set<unknown>();
  const hints: string[] = [];
  for (let one: unknown = error; isError(one) && !seen.has(one); one = one.cause) {
    seen.add(one);
    if (typeof one.hint === "string" && one.hint !== "") hints.push(one.hint);
  }
  const added = [...hints, ...more];
  if (added.length === 0) return;
  const { message, stack } = error;
  error.message = [message, "", ...added].join("\n");
  // Jest and node:test print the stack, whose first lines are the message as it was when the error was made.
  if (stack?.includes(message)) error.stack = stack.replace(message, () => error.message);
}

/** An error of whichever context: a test runner's own errors may be of another class. */
const isError = (value: unknown): value is ReportedError =>
  typeof value === "object" && value !== null && "message" in value && typeof value.message === "string";
