import { isMarkedAsUntransferable } from "node:worker_threads";
import type { Settings } from "../config/config.ts";
import { invalidFixtures, invalidState, SandboxError } from "../errors/errors.ts";
import { startThread } from "../runtime/package.ts";
import { inspectSnapshot, type SnapshotInfo } from "../world/snapshot.ts";
import { type AnyArea, AREAS, formOf } from "./areas.ts";
import type { FixturePlan } from "./fixtures/make.ts";

const THREAD = { source: "src/sandbox/thread.ts", built: "dist/heavy-thread.js" };
/** The memory limit for reading. Larger fixtures are rejected before the machine runs out of memory. */
const MOST_MEMORY_MB = 2_048;
/** Databases up to this size are read without a thread: it takes at most a tenth of a second. */
const AT_ONCE = 8 * 1024 * 1024;

/** A thread always uses the built-in areas, because functions cannot be passed to it. */
export type ThreadPlan = Omit<FixturePlan, "areas">;

/** The tasks of the thread: creating a world's database, checking a snapshot, or exporting a database as fixtures. */
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
 * Creates a world's database from fixtures in a thread, so other work can continue.
 * @throws SandboxError `invalid_fixtures`, like `makeFixtureBytes`
 */
export async function makeInThread(plan: ThreadPlan): Promise<Buffer> {
  const message = `${plan.shown} needs more than ${MOST_MEMORY_MB} MiB of memory to be read.`;
  const lacksMemory = invalidFixtures(message, "Start with fewer rows.");
  return (await inThread({ does: "make", plan }, lacksMemory)).bytes;
}

/**
 * Checks bytes like `inspectSnapshot`, using a thread for large snapshots.
 * @param bytes do not use them afterwards, because they are transferred to the thread
 * @returns the same bytes, and what was found out about them
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
 * Exports a database like `dumpFixtures`, using a thread if it is large.
 * @param bytes do not use them afterwards
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
