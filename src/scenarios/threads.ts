import type { Worker } from "node:worker_threads";
import { startThread } from "../runtime/package.ts";
import type { ThreadTask } from "./thread.ts";

/** The program of the thread that loads and runs scenarios. */
const SCENARIO_THREAD = { source: "src/scenarios/thread-start.ts", built: "dist/scenario-thread.js" };

/** A thread's memory limit. A runaway scenario is terminated before the machine runs out of memory. */
const MOST_MEMORY_MB = 1_024;

let prepared: Worker | undefined;

/** Starts a thread before its scenario is known. */
export function prepareThread(): void {
  if (prepared) return;
  const worker = start();
  worker.unref();
  worker.once("exit", () => {
    if (prepared === worker) prepared = undefined;
  });
  prepared = worker;
}

/** Passes a task to the prepared thread, or to a new one if there is none. */
export function giveToThread(task: ThreadTask): Worker {
  const worker = prepared ?? start();
  prepared = undefined;
  worker.ref();
  worker.postMessage(task);
  return worker;
}

function start(): Worker {
  return startThread(SCENARIO_THREAD, {
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
    env: { ...process.env, FORCE_COLOR: "0" },
    stdout: true,
    stderr: true,
  });
}
