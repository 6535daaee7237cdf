import { type StdioOptions, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { applyChange, type Change, changesOf } from "./changes.ts";
import type { Calls } from "./coverage.ts";

/**
 * `npm run mutation -- [folder of src…] [--changes n] [--seed text] [--calls folder] [--shard 1/3]` makes random
 * changes to one operator at a time. For each change, it runs the test files that call the changed function, starting
 * with those that call it most, until one fails, and lists the changes that no test noticed. The built command line is
 * not changed, so changes that only its tests could notice are listed as well. The calls that tests make are recorded
 * first; passing the printed value of `--calls` to the next run saves it the recording. Shards of the same random
 * changes can run at the same time, each in its own checkout.
 */
const FOLDERS = ["webhooks", "trial", "payments", "world"];
/**
 * The number of test files to try first. They notice most changes within a minute; running the others takes many
 * minutes.
 */
const FIRST_FILES = 12;

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    changes: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    calls: { type: "string" },
    shard: { type: "string", default: "1/1" },
  },
});

/** The exit code of these tests, or of all tests; null if they did not finish in time. */
async function runTests(env: object, tests: string[], limitMs: number): Promise<number | null> {
  const args = ["node_modules/vitest/vitest.mjs", "run", "-c", "test/mutation/vitest.config.ts", ...tests];
  const stdio = ["ignore", "pipe", "pipe"] satisfies StdioOptions;
  const vitest = spawn(process.execPath, args, {
    ...{ cwd: ROOT, env: { ...process.env, ...env }, detached: true, stdio },
  });
  let printed = "";
  for (const stream of [vitest.stdout!, vitest.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  /** Also stops all processes that the tests have started. */
  const endAll = () => {
    try {
      process.kill(-vitest.pid!, "SIGKILL");
    } catch {
      // All processes have already exited.
    }
  };
  const timer = setTimeout(endAll, limitMs);
  const [code] = await once(vitest, "exit");
  clearTimeout(timer);
  endAll();
  // On a busy machine, a worker may fail to start in time. This says nothing about the change, so try again.
  return /Failed to start \w+ worker/.test(printed) ? runTests(env, tests, limitMs) : code;
}

const folder = values.calls ?? mkdtempSync(join(tmpdir(), "sandglass-calls-"));
if (values.calls === undefined) {
  const code = await runTests({ SANDGLASS_CALLS: folder }, [], 7_200_000);
  if (code !== 0) throw new Error(`The tests must pass before sources are changed: they ended with ${code}.`);
  process.stdout.write(`--calls ${folder}\n`);
}
const recorded = readdirSync(folder).map(
  (name): Calls => JSON.parse(readFileSync(join(folder, name), "utf8")),
);

/**
 * The test files that call the function most often for the time they take. If no file calls it, the files that call any
 * function in its file, because a module's top level runs only once.
 */
function testsOf({ file, within }: Change): Calls[] {
  const callers = (matches: (name: string) => boolean) =>
    recorded
      .map((one) => {
        const counts = Object.entries(one.calls).map(([name, count]) => (matches(name) ? count : 0));
        return { one, density: counts.reduce((sum, count) => sum + count, 0) / one.milliseconds };
      })
      .filter(({ density }) => density > 0)
      .sort((first, second) => second.density - first.density)
      .map(({ one }) => one);
  const exact = within === "" ? [] : callers((name) => name === `${file}#${within}`);
  return exact.length > 0 ? exact : callers((name) => name.startsWith(`${file}#`));
}

async function tryChange(change: Change): Promise<"noticed" | "not noticed" | "timed out" | "not called"> {
  const callers = testsOf(change);
  if (callers.length === 0) return "not called";
  const source = applyChange(readFileSync(ROOT + change.file, "utf8"), change);
  const env = { SANDGLASS_CHANGE: JSON.stringify({ url: pathToFileURL(ROOT + change.file), source }) };
  for (const files of [callers.slice(0, FIRST_FILES), callers.slice(FIRST_FILES)]) {
    if (files.length === 0) continue;
    const usualMs = files.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const tests = files.map(({ test }) => test);
    const code = await runTests(env, tests, 60_000 + 4 * usualMs);
    if (code !== 0) return code === null ? "timed out" : "noticed";
  }
  return "not noticed";
}

/** Shows the line before and after the change. */
function describeChange(change: Change): string {
  const code = readFileSync(ROOT + change.file, "utf8");
  const line = (text: string) => text.split("\n")[change.line - 1]!.trim();
  return `${change.file}:${change.line} (${change.kind})\n    - ${line(code)}\n    + ${line(applyChange(code, change))}`;
}

const [shard = 1, shards = 1] = values.shard.split("/").map(Number);
const lotOf = ({ file, start, kind }: Change) => hash("sha256", `${values.seed} ${file} ${start} ${kind}`);
const drawn = (positionals.length === 0 ? FOLDERS : positionals)
  .flatMap((name) => globSync(`src/${name}/**/*.ts`, { cwd: ROOT }))
  .flatMap((file) => changesOf(file, readFileSync(ROOT + file, "utf8")))
  .sort((one, other) => (lotOf(one) < lotOf(other) ? -1 : 1))
  .slice(0, Number(values.changes))
  .filter((_, index) => index % shards === shard - 1);

const outcomes: string[] = [];
for (const change of drawn) {
  const outcome = await tryChange(change);
  outcomes.push(outcome);
  process.stdout.write(`${outcomes.length}. ${outcome}: ${describeChange(change)}\n`);
}
const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
process.stdout.write(
  `${count("noticed") + count("timed out")} of ${outcomes.length} changes noticed (${count("timed out")} by a test that did not end), ` +
    `${count("not noticed")} not noticed, ${count("not called")} in code that no test calls (seed ${values.seed})\n`,
);
