import { flushCompileCache } from "node:module";
import { format } from "node:util";
import { parentPort } from "node:worker_threads";
import { openRemote } from "../client/sandbox.ts";
import { overHttp } from "../client/transport.ts";
import { SandboxError } from "../errors/errors.ts";
import type { ScenarioFailure } from "../reports/scenario-report.ts";
import { loadModule } from "../runtime/load-module.ts";
import { findSandglass } from "../runtime/own-package.ts";
import { trustAuthorities } from "../runtime/trusted.ts";
import type { ParamValue } from "./define.ts";
import { failureOf } from "./failure.ts";
import type { ScenarioFile } from "./files.ts";
import { type PlayEvent, play } from "./play.ts";
import { checkScenario, type ScenarioInfo } from "./shape.ts";

export type ThreadTask =
  | { read: ScenarioFile[] }
  | {
      run: ScenarioFile;
      /** The URL of the run's world. */
      url: string;
      /** The certificates that the thread trusts in addition to Node's own. */
      authorities: string[];
      cwd: string;
      params: Record<string, ParamValue>;
      subscriber: string | null;
      /** Counts expectations in shared memory, so the count can be read no matter how the thread ends. */
      expectations: Int32Array;
    };

export type ThreadMessage =
  | { reading: string }
  | { info: ScenarioInfo }
  | { problem: { message: string; hint: string } }
  | { playing: true }
  | { event: PlayEvent }
  /** Sent when the scenario has returned and these calls are still open. */
  | { waitsFor: string[] }
  | { played: ScenarioFailure | null };

/**
 * The thread that reads and runs scenarios. The user's code may throw, hang, exit or change globals, so it runs apart
 * from the sandbox and can be terminated from outside.
 */
const tell = (message: ThreadMessage) => parentPort!.postMessage(message);

process.setSourceMapsEnabled(true);
findSandglass();
parentPort!.once("message", async (task: ThreadTask) => {
  if ("read" in task) for (const one of task.read) await read(one);
  else await run(task);
});

function load({ path, file }: ScenarioFile) {
  return loadModule({
    path,
    name: file,
    code: "invalid_scenario",
    shape: "Write: export default defineScenario({ … }). npx sandglass init writes an example.",
  });
}

async function read(one: ScenarioFile): Promise<void> {
  tell({ reading: one.path });
  const stall = () =>
    tell({
      problem: {
        message: `${one.file} awaits something outside of run that never happens.`,
        hint: "Move that await into run.",
      },
    });
  process.once("beforeExit", stall);
  try {
    const { run: _run, ...info } = checkScenario(one.file, await load(one));
    tell({ info: structuredClone(info) });
  } catch (error) {
    tell({ problem: problemOf(error, one) });
  } finally {
    process.off("beforeExit", stall);
  }
}

function problemOf(error: unknown, { file }: ScenarioFile): { message: string; hint: string } {
  if (error instanceof SandboxError) return { message: error.message, hint: error.hint };
  return {
    message: `${file}: ${(error as Error).message}`,
    hint: "All fields of a scenario except run must be plain data.",
  };
}

async function run(task: Extract<ThreadTask, { run: ScenarioFile }>) {
  const { run: one, url, authorities, cwd, params, subscriber, expectations } = task;
  trustAuthorities(authorities);
  const [sandbox, { expect }] = await Promise.all([
    openRemote({ url, send: overHttp, close: async () => {} }),
    import("expect"),
  ]);
  // Keep the thread alive, so a scenario that waits forever reaches its time limit instead of exiting silently.
  parentPort!.on("message", () => {});
  const fail = (error: unknown) => {
    tell({ played: failureOf(error, null, one, cwd) });
    process.exit();
  };
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  let log = (text: string) => tell({ event: { type: "log", at: "", text, step: null } });
  for (const name of ["log", "info", "debug", "warn", "error"] as const)
    console[name] = (...values: unknown[]) => log(format(...values));
  try {
    const scenario = checkScenario(one.file, await load(one));
    tell({ playing: true });
    const played = await play({
      scenario: {
        run(context) {
          log = context.log;
          return scenario.run(context);
        },
      },
      file: one,
      cwd,
      sandbox,
      expect,
      params,
      subscriber,
      tell: (event) => tell({ event }),
      expected: () => Atomics.add(expectations, 0, 1),
      waitsFor: (calls) => tell({ waitsFor: calls }),
    });
    // Write the compile cache now, before the thread is terminated from outside.
    flushCompileCache();
    tell({ played });
  } catch (error) {
    fail(error);
  }
}
