import { isMarkedAsUntransferable } from "node:worker_threads";
import type { Settings } from "../config/config.ts";
import { invalidFixtures, invalidState, SandboxError } from "../errors/errors.ts";
import { startThread } from "../runtime/package.ts";
import { inspectSnapshot, type SnapshotInfo } from "../world/snapshot.ts";
import { type AnyArea, AREAS, formOf } from "./areas.ts";
import type { FixturePlan } from "./fixtures/make.ts";

const THREAD = { source: "src/sandbox/thread.ts", built: "dist/heavy-thread.js" };
/** The memory limit for reading: fixtures that need more are refused before the machine runs out of it. */
const MOST_MEMORY_MB = 2_048;
/** Databases of this size are read within a tenth of a second. */
const AT_ONCE = 8 * 1024 * 1024;

/** A thread cannot get functions: the areas are the shipped ones. */
export type ThreadPlan = Omit<FixturePlan, "areas">;

/** The thread's tasks: making the database of a world, checking that of a snapshot, or listing its rows as fixtures. */
export type Task =
  | { does: "make"; plan: ThreadPlan }
  | { does: "inspect"; bytes: Buffer; source: string }
  | { does: "dump"; bytes: Buffer; settings: Settings };

export type Done =
  | { bytes: Uint8Array; info?: SnapshotInfo }
  | { refusal: Pick<SandboxError, "code" | "message" | "hint"> };

function inThread(task: Task, lacksMemory?: SandboxError): Promise<{ bytes: Buffer; info?: SnapshotInfo }> {
  return new Promise((resolve, reject) => {
    const taken =
      "bytes" in task && !isMarkedAsUntransferable(task.bytes.buffer) ? task.bytes.buffer : undefined;
    const worker = startThread(THREAD, {
      workerData: task,
      transferList: taken ? [taken as ArrayBuffer] : [],
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
    });
    worker.once("message", (done: Done) => {
      if ("bytes" in done) return resolve({ ...done, bytes: Buffer.from(done.bytes.buffer) });
      reject(new SandboxError(done.refusal.code, done.refusal.message, done.refusal.hint));
    });
    worker.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? (lacksMemory ?? error) : error),
    );
  });
}

/**
 * Makes the database of a world that begins with fixtures, while other work continues.
 * @throws SandboxError `invalid_fixtures`, as `makeFixtureBytes`
 */
export async function makeInThread(plan: ThreadPlan): Promise<Buffer> {
  const message = `${plan.shown} needs more than ${MOST_MEMORY_MB} MiB of memory to be read.`;
  const lacksMemory = invalidFixtures(message, "Start with fewer rows.");
  return (await inThread({ does: "make", plan }, lacksMemory)).bytes;
}

/**
 * Checks bytes as `inspectSnapshot` does; in a thread, if there are many.
 * @param bytes not to be used afterwards, as the thread takes them
 * @returns the same bytes, and their facts
 */
export async function inspect(
  bytes: Buffer,
  areas: readonly AnyArea[],
  source: string,
): Promise<SnapshotInfo & { bytes: Buffer }> {
  if (bytes.length < AT_ONCE || areas !== AREAS)
    return { bytes, ...inspectSnapshot(bytes, formOf(areas), source) };
  const done = await inThread({ does: "inspect", bytes, source });
  return { bytes: done.bytes, ...done.info! };
}

/**
 * Lists the rows of a database as `dumpFixtures` does; in a thread, if there are many.
 * @param bytes not to be used afterwards
 */
export async function dump(bytes: Buffer, settings: Settings, areas: readonly AnyArea[]): Promise<Buffer> {
  if (bytes.length < AT_ONCE || areas !== AREAS) {
    const { dumpFixtures } = await import("./fixtures/description.ts");
    return Buffer.from(await dumpFixtures(bytes, settings, areas));
  }
  const message = `The world needs more than ${MOST_MEMORY_MB} MiB of memory to be exported.`;
  const way = {
    command: "Save it: npx sandglass snapshot save <name>",
    library: "Save it with snapshot().",
    http: "Save it with POST /_sandbox/snapshots.",
  };
  return (await inThread({ does: "dump", bytes, settings }, invalidState(message, way))).bytes;
}
