import { lacksRoom } from "../errors/disk-full.ts";
import { afterPendingIo, type Clock } from "./clock.ts";
import type { Firing, Start } from "./firing.ts";
import type { JobGroup, Jobs } from "./jobs.ts";
import type { JournalEntry } from "./journal.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Timers } from "./timers.ts";

/**
 * Runs everything due up to `target`, instant by instant, with the clock frozen at each. An instant's jobs run
 * concurrently, and their outcomes are written before the clock moves on. Ends early if the world is closed.
 * @param ledger receives the journal entries that it causes
 * @param isEnough whether to end before the next instant
 * @throws SandboxError `invalid_state` at a timer that cannot run, `world_full`, `disk_full`
 */
export type Walk = (
  target: number,
  ledger: JournalEntry[] | undefined,
  isEnough: () => boolean,
) => Promise<void>;

export interface WalkParts {
  clock: Clock;
  timers: Timers;
  jobs: Jobs;
  firing: Firing;
  lifecycle: Lifecycle;
}

export function createWalk({ clock, timers, jobs, firing, lifecycle }: WalkParts): Walk {
  /** Fires a batch of timers due up to `target`, ending it after an instant that requested jobs. */
  function fireInstants(
    target: number,
    ledger: JournalEntry[] | undefined,
    isEnough: () => boolean,
  ): Start[] {
    const from = clock.now();
    try {
      return firing.fireDue(target, ledger, (starts) => {
        clock.freeze(from);
        let instant = -1;
        return (timer) => {
          if (timer.due > instant && instant >= 0 && (starts.length > 0 || isEnough())) return false;
          instant = Math.max(timer.due, clock.now());
          clock.freeze(instant);
          return true;
        };
      });
    } catch (error) {
      // If the work was rolled back for lack of room, reset the clock. At a failing timer, it stays at the timer's instant.
      if (lacksRoom(error)) clock.freeze(from);
      throw error;
    }
  }

  async function walkTo(...[target, ledger, isEnough]: Parameters<Walk>): Promise<void> {
    let group: JobGroup | undefined;
    const settle = async () => {
      const ended = group;
      group = undefined;
      await ended?.settle();
    };
    try {
      while (!lifecycle.closed) {
        const next = timers.first();
        const sameInstant = next !== undefined && next.due <= clock.now();
        if (!sameInstant && group) {
          await settle();
          await jobs.quiet();
        } else if (sameInstant || (next && next.due <= target && !isEnough())) {
          // While jobs of this instant are open, only timers at the same instant may run.
          const starts = fireInstants(group ? clock.now() : target, ledger, isEnough);
          if (starts.length > 0) {
            group ??= jobs.open(ledger);
            firing.beginAll(starts, group);
          }
          await new Promise<void>((resolve) => afterPendingIo(resolve));
        } else break;
      }
    } finally {
      // Write the outcomes of started jobs, no matter how the walk ended.
      await settle();
    }
  }

  return async (target, ledger, isEnough) => {
    await walkTo(target, ledger, isEnough);
    while (jobs.busy) {
      await jobs.quiet();
      await walkTo(target, ledger, isEnough);
    }
  };
}
