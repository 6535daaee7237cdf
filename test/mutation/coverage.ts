import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "vitest";

/** The calls recorded for a test file: how many times it calls each function in the sources, by `file#name`. */
export interface Calls {
  test: string;
  milliseconds: number;
  calls: Record<string, number>;
}

const ROOT = join(import.meta.dirname, "../..");
const shared = globalThis as { session?: Session };
const started = performance.now();

const pathOf = (file: string): string => relative(ROOT, file).replaceAll("\\", "/");

/**
 * The counts since the previous call. In a worker whose files share modules, this separates the counts of each file.
 */
function takeCalls(session: Session): Calls["calls"] {
  const calls: Calls["calls"] = {};
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error) throw error;
    for (const { url, functions } of result) {
      const file = pathOf(url.startsWith("file:") ? fileURLToPath(url) : url);
      for (const { functionName, ranges } of file.startsWith("src/") ? functions : []) {
        const name = `${file}#${functionName.replace(/^(get|set) /, "")}`;
        if (ranges[0]!.count > 0) calls[name] = (calls[name] ?? 0) + ranges[0]!.count;
      }
    }
  });
  return calls;
}

beforeAll(() => {
  if (shared.session) return;
  shared.session = new Session();
  shared.session.connect();
  shared.session.post("Profiler.enable");
  shared.session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
});

afterAll(() => {
  const test = pathOf(expect.getState().testPath!);
  const milliseconds = Math.max(1, performance.now() - started);
  const found: Calls = { test, milliseconds, calls: takeCalls(shared.session!) };
  const file = join(process.env.SANDGLASS_CALLS!, `${test.replaceAll("/", "+")}.json`);
  writeFileSync(file, JSON.stringify(found));
});
