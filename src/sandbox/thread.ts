import { parentPort, workerData } from "node:worker_threads";
import { SandboxError } from "../errors/errors.ts";
import { inspectSnapshot } from "../world/snapshot.ts";
import { AREAS, formOf } from "./areas.ts";
import { dumpFixtures } from "./fixtures/description.ts";
import { makeFixtureBytes } from "./fixtures/make.ts";
import type { Done, Task } from "./in-thread.ts";

/** Handles large fixtures and snapshots in a thread, so the sandbox stays responsive. */
async function work(task: Task): Promise<Done> {
  try {
    // Copy the result, because the database's own memory cannot be transferred to another thread.
    if (task.does === "make")
      return { bytes: Uint8Array.from(await makeFixtureBytes({ ...task.plan, areas: AREAS })) };
    // Buffers arrive as plain typed arrays.
    const bytes = Buffer.from(task.bytes.buffer, task.bytes.byteOffset, task.bytes.byteLength);
    if (task.does === "dump") return { bytes: await dumpFixtures(bytes, task.settings, AREAS) };
    return { bytes, info: inspectSnapshot(bytes, formOf(AREAS), task.source) };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { refusal: { code: error.code, message: error.message, hint: error.hint } };
  }
}

const done = await work(workerData as Task);
parentPort!.postMessage(done, "bytes" in done ? [done.bytes.buffer as ArrayBuffer] : []);
