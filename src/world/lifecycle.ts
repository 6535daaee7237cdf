import { lacksRoom } from "../errors/disk-full.ts";
import { invalidState, type SandboxError } from "../errors/errors.ts";
import type { Clock } from "./clock.ts";
import { closedError } from "./database.ts";
import { iso } from "./duration.ts";
import type { Journal } from "./journal.ts";
import type { Store } from "./store.ts";
import type { Timer } from "./timers.ts";

/** A world's state: it stops at a timer that cannot run, until a retry is allowed, and ends when it is closed. */
export interface Lifecycle {
  /** Whether a due timer could not run. If so, no timer fires automatically until `allow` is called. */
  readonly stopped: boolean;
  /** Whether the world can continue as soon as there is room to write. */
  readonly waitsForRoom: boolean;
  readonly closed: boolean;
  /**
   * Stops the world because a due timer cannot run, and records that in its journal. The handler encountered foreign
   * data or has a bug; neither may affect other worlds.
   * @returns the error for waiting callers
   */
  stop(error: unknown, timer?: Timer): SandboxError;
  /** Allows a retry, after the clock was set, the world was restored, or an advance was requested. */
  allow(): void;
  close(): void;
}

export function createLifecycle(store: Store, clock: Clock, journal: Journal): Lifecycle {
  let closed = false;
  let stopped = false;
  let isFull = false;

  return {
    get stopped() {
      return stopped;
    },
    get waitsForRoom() {
      return stopped && isFull;
    },
    get closed() {
      return closed;
    },
    stop(error, timer) {
      if (closed) return closedError();
      stopped = true;
      isFull = lacksRoom(error);
      // The timer itself is fine, and there would be no room for a journal entry.
      if (isFull) return error as SandboxError;
      console.error(error);
      const reason = (error as Error).message;
      try {
        store.transaction(() => {
          clock.set({ mode: "paused" });
          journal.append("world.stopped", {
            reason,
            timer: timer ? { kind: timer.kind, key: timer.key, due_at: iso(timer.due) } : null,
          });
        });
      } catch (unwritten) {
        console.error(unwritten);
      }
      const what = timer ? `its timer ${timer.kind} of ${timer.key} cannot run` : "it cannot continue";
      return invalidState(`The world stopped at ${iso(clock.now())} because ${what}: ${reason}.`, {
        command: "Restore an earlier state: npx sandglass snapshot restore <name>",
        library: "Call reset() or restore(snapshot).",
        http: "Call POST /_sandbox/reset, or restore another snapshot.",
      });
    },
    allow() {
      stopped = false;
    },
    close() {
      closed = true;
    },
  };
}
