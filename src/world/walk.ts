import { lacksRoom } from "../errors/disk-full.ts";
import { afterPendingIo, type Clock } from "./clock.ts";
import type { Firing, Start } from "./firing.ts";
import type { JobGroup, Jobs } from "./jobs.ts";
import type { JournalEntry } from "./journal.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Timers } from "./timers.ts";

/**
 * Does everything that is due up to `target`, instant by instant, with the clock frozen at each: the jobs of an instant run side by
 * side, and their outcomes are written before the clock moves on. Ends early when the world is closed.
 * @param ledger gets the journal entries that it causes
 * @param isEnough whether to end before the next instant
 * @throws SandboxError `invalid_state` at something due that cannot run, `world_full`, `disk_full`
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
  /** Fires a batch of what is due up to `target`, and ends it after an instant that requested jobs. */
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
      // The clock never shows an instant whose work was rolled back. At a failing timer, it stays.
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
          // While results of this instant are open, only timers of the same instant may run.
          const starts = fireInstants(group ? clock.now() : target, ledger, isEnough);
          if (starts.length > 0) {
            group ??= jobs.open(ledger);
            firing.beginAll(starts, group);
          }
          await new Promise<void>((resolve) => afterPendingIo(resolve));
        } else break;
      }
    } finally {
      // Results of begun jobs are written, whatever ended the walk.
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
