import { url as inspectorUrl } from "node:inspector";
import { Worker } from "node:worker_threads";
import { wallTimer } from "../world/clock.ts";
import { paintError } from "./output.ts";

/** How many seconds of real time the user's code may block this process. */
const PATIENCE_S = 10;
const BEAT_MS = 200;

/** The watcher ends the process after this many missed beats. */
const WATCHER = `
const { writeSync } = require("node:fs");
const { workerData } = require("node:worker_threads");
const { beats, text, patience } = workerData;
let last = -1;
let missed = 0;
setInterval(() => {
  const now = Atomics.load(beats, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  if (missed < patience) return;
  writeSync(2, text);
  process.kill(process.pid, "SIGKILL");
}, 1000);
`;

/**
 * Kills this process if the user's code never returns, because then neither a time limit nor Ctrl-C can end it.
 * @param what the code, as the subject of the message
 * @returns a function that stops the watch
 */
export function guardAgainstLoops(what: string): () => void {
  // A debugger pauses the code on purpose, so do not kill the process then.
  if (inspectorUrl() !== undefined) return () => undefined;
  const text = paintError(
    `${what} has not returned for ${PATIENCE_S} s.`,
    "Look for an infinite loop. Sandglass stops the process, because nothing else can stop such code.",
  );
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const watcher = new Worker(WATCHER, { eval: true, workerData: { beats, text, patience: PATIENCE_S } });
  watcher.unref();
  let stop = () => {};
  function beat(): void {
    Atomics.add(beats, 0, 1);
    stop = wallTimer(BEAT_MS, beat);
  }
  beat();
  return () => {
    stop();
    void watcher.terminate();
  };
}
