import { relative } from "node:path";
import type { Access } from "../client/sandbox.ts";
import { misuse } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import type { Sandbox } from "../library/index.ts";
import { framesOf, isInstalled } from "../runtime/stack-frames.ts";
import { callLines, MOST_CALLS } from "../timeline/calls.ts";
import { fileNameOf, forgetFailed, KEEP, keepFailed, keptFiles } from "./keep.ts";

/**
 * A test for `keepOnFailure`: its name, or an object with a name, such as node:test's context. Without `filePath`, the file
 * that calls `keepOnFailure` is used.
 * @example
 * const named: NamedTest = "an order is shipped once it is paid";
 */
export type NamedTest =
  | string
  | { readonly name: string; readonly fullName?: string; readonly filePath?: string | undefined };

/**
 * Runs a test's body. If it fails, saves the world to `sandglass-failed/`, with a page that shows what happened during the
 * test, like `sandglass run` and `sandglass exec`. The paths, and a `SandboxError`'s hint, are appended to the error's
 * message, or printed to standard error if the message cannot be changed. Once the test passes, files from an earlier
 * failure are removed.
 *
 * @example
 * test("an order is shipped once it is paid", (t) => keepOnFailure(sandbox, t, async () => {
 *   await sandbox.payments.pay("coffee");
 *   assert.equal(await ordersShipped(), 1);
 * }));
 * @param world a sandbox from `createSandbox()` or `connect()`, or one of its worlds; it stays open
 * @param test the test's name or node:test's context. The files are named after the test and its file. Different contexts
 *   are different tests, whatever their names; calls with the same name string are the same test if their bodies have the
 *   same source
 * @returns the body's result
 * @throws the body's error
 */
export async function keepOnFailure<Result>(
  world: Sandbox,
  test: NamedTest,
  body: () => Result | Promise<Result>,
): Promise<Result> {
  const name: unknown = typeof test === "string" ? test : (test?.fullName ?? test?.name);
  if (typeof name !== "string" || typeof body !== "function")
    throw misuse(
      typeof name !== "string"
        ? `keepOnFailure expects a test's name or its context, not ${shownValue(test)}.`
        : `keepOnFailure expects the body of a test as a function, not ${shownValue(body)}.`,
      'For example: keepOnFailure(sandbox, "an order is shipped", async () => { … }).',
    );
  const own = ownName(name, fileOf(test), typeof test === "string" ? String(body) : test);
  // Load this when a test runs, so that importing `defineConfig` in a configuration stays fast.
  const { accessOf } = await import("../client/sandbox.ts");
  const access = accessOf(world, "keepOnFailure");
  const [{ last_seq: after }, { data: calls }] = await Promise.all([
    access.client.status(),
    access.client.run("requests.list", { limit: 1 }),
  ]);
  let result: Result;
  try {
    result = await body();
  } catch (error) {
    const where = await keepWorld({ ...access, after, afterCall: calls[0]?.id }, own);
    if (isError(error)) explain(error, where);
    else process.stderr.write(`${where}\n`);
    throw error;
  }
  forgetWorld(own);
  return result;
}

/**
 * The file of a test: the one named by its context, or else the file that called `keepOnFailure` according to the
 * stack.
 */
function fileOf(test: NamedTest): string | undefined {
  if (typeof test === "object" && test.filePath !== undefined) return test.filePath;
  const trace: { stack?: string } = {};
  Error.captureStackTrace(trace, keepOnFailure);
  return framesOf(String(trace.stack)).find(({ path }) => !isInstalled(path))?.path;
}

/** This process's tests by file and name, used to distinguish tests with the same file and name. */
const namesakes = new Map<string, unknown[]>();

/** A test's name and file, with a number if another test in this process has the same name and file. */
function ownName(name: string, file: string | undefined, identity: unknown): string {
  const full = file === undefined ? name : `${relative(process.cwd(), file)} > ${name}`;
  const same = namesakes.get(full) ?? [];
  if (!same.includes(identity)) namesakes.set(full, [...same, identity]);
  const index = same.indexOf(identity);
  return numbered(full, index === -1 ? same.length : index);
}

/** The name of a test, numbered if earlier tests have the same name. */
export const numbered = (name: string, before: number): string =>
  before === 0 ? name : `${name} (${before + 1})`;

/** A test's world, and the position of its journal when the test started. */
interface TestWorld extends Access {
  /** The id of the latest API call when the test started. */
  afterCall?: number | undefined;
}

/**
 * Saves a failed test's world.
 * @returns the API calls that the test made and the path of the world, for the error message
 */
export async function keepWorld({ client, after, afterCall = 0 }: TestWorld, test: string): Promise<string> {
  // The calls of a closed world cannot be read. If the world could not be saved, that is reported as well.
  const { data } = await client
    .run("requests.list", { after: afterCall, limit: MOST_CALLS })
    .catch(() => ({ data: [] }));
  const where = await keepFailed(keptFiles(KEEP, fileNameOf(test)), {
    world: () => client.snapshotFile(),
    page: () => client.worldPage(`${test} failed`, after),
  });
  return [...callLines(data), where].join("\n");
}

/** Removes the files left by an earlier failure of a test. */
export const forgetWorld = (test: string): void => forgetFailed(keptFiles(KEEP, fileNameOf(test)));

/** A thrown error, or a test runner's report of one. */
export interface ReportedError {
  message: string;
  stack?: string | undefined;
  cause?: unknown;
  hint?: unknown;
}

/**
 * Appends lines to an error's message: its hints and the hints of its causes, which not every runner shows, and
 * additional lines. Prints them instead if the error cannot be changed.
 */
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
  const longer = [message, "", ...added].join("\n");
  if (!change(error, "message", longer)) {
    process.stderr.write(`${added.join("\n")}\n`);
    return;
  }
  // Jest and node:test print the stack, which starts with the message that the error was created with.
  if (stack?.includes(message))
    change(
      error,
      "stack",
      stack.replace(message, () => longer),
    );
}

/**
 * Sets a string property of an error. Some errors only have getters, such as the DOMException of a fetch that timed
 * out.
 * @returns whether it worked
 */
const change = (error: ReportedError, name: "message" | "stack", value: string): boolean =>
  Reflect.set(error, name, value) ||
  Reflect.defineProperty(error, name, { value, writable: true, configurable: true });

/** Whether a value is an error from any context. A test runner's errors may belong to a different class. */
const isError = (value: unknown): value is ReportedError =>
  typeof value === "object" && value !== null && "message" in value && typeof value.message === "string";
