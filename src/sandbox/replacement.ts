import { conflict, invalidState } from "../errors/errors.ts";
import type { AreaPart } from "../http/area.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { Replacement } from "../world/home.ts";
import type { World } from "../world/world.ts";
import { inTurn } from "./heavy.ts";

export interface Replacements {
  /**
   * Returns to the fixtures of a seed, at the time they begin, or to the world's own beginning. Files are read again.
   * @throws SandboxError as finding a beginning does
   */
  reset(seed?: string): Promise<void>;
  /** Returns to a snapshot that `inspectSnapshot` accepted. Requests that were in flight when it was taken are sent again. */
  restore(snapshot: Buffer, label: string): Promise<void>;
  /**
   * Brings back the world that the last reset, restore or undo replaced, or that was there before an outage or a story was played. The present one can then be brought back in the same
   * way.
   * @throws SandboxError `invalid_state` if nothing was replaced
   */
  undo(): Promise<void>;
  /**
   * Plays something that `undo` takes back as a whole, one at a time.
   * @throws SandboxError `conflict` while another is played
   */
  playUndoable<Result>(play: () => Promise<Result>): Promise<Result>;
  /**
   * Marks the world between two advances.
   * @returns restores that world, as `restore` does, but faster; it ends later marks
   */
  mark(): Promise<() => Promise<void>>;
}

export interface ReplacementsOptions {
  world: World;
  parts: readonly AreaPart[];
  requests: RequestLog;
  /** Opens the areas that a database needs, before it becomes the world's. */
  prepare: (bytes: Buffer) => Promise<void>;
  /** Makes the database of the world's beginning again, or one of another seed. */
  begin: (seed: string | undefined) => Promise<Buffer>;
}

export function createReplacements({
  world,
  parts,
  requests,
  prepare,
  begin,
}: ReplacementsOptions): Replacements {
  const { clock, journal, scheduler, store } = world;

  /** Replaces the world between two advances. @param work rows that are written with the other world */
  async function replaceBy(next: Replacement, work: () => void): Promise<void> {
    // Any other was this world's before, and what it needs is open.
    if ("bytes" in next) await prepare(next.bytes);
    clock.anchor();
    await inTurn(() => store.restore(next, work));
    requests.clear();
    scheduler.resume();
  }

  let isPlaying = false;

  /** Makes the present world the one that `undo` brings back. */
  const keepForUndo = () =>
    scheduler.exclusive(() =>
      inTurn(async () => {
        clock.anchor();
        store.keep(await store.stage(await store.copy()));
      }),
    );

  const resume = () => {
    for (const part of parts) part.resume?.();
  };

  return {
    reset: (seed) =>
      scheduler.exclusive(async () => {
        const staged = await store.stage(await begin(seed));
        const { mode, rate } = clock.state();
        await replaceBy(staged, () => {
          clock.set({ mode, rate });
          journal.append("world.reset", { seed: world.origin().seed });
        });
      }),

    restore: (snapshot, label) =>
      scheduler.exclusive(async () =>
        replaceBy(await store.stage(snapshot), () => {
          journal.append("world.restored", { snapshot: label });
          resume();
        }),
      ),

    undo: () =>
      scheduler.exclusive(async () => {
        const replaced = await store.replaced();
        if (!replaced) throw nothingToUndo(world.name);
        await replaceBy(replaced, () => {
          journal.append("world.undone", { seed: world.origin().seed });
          resume();
        });
      }),

    async playUndoable(play) {
      if (isPlaying)
        throw conflict(
          "An outage or a story is in progress in this world.",
          "Wait until it ends, or end it by cancelling its advance.",
        );
      isPlaying = true;
      try {
        await keepForUndo();
        return await play();
      } finally {
        isPlaying = false;
      }
    },

    async mark() {
      const rewind = await scheduler.exclusive(async () => {
        clock.anchor();
        return store.mark();
      });
      return () =>
        scheduler.exclusive(async () => {
          rewind(resume);
          requests.clear();
          scheduler.resume();
        });
    },
  };
}

const nothingToUndo = (name: string) =>
  invalidState(
    `There is nothing to undo: no reset, restore, outage or story has changed the world ${name}.`,
    {
      command: "To be able to go back later, save it: npx sandglass snapshot save <name>",
      library: "To be able to go back later, save it with snapshot().",
      http: "To be able to go back later, save it with POST /_sandbox/snapshots.",
      page: "To be able to go back later, save it under Snapshots.",
    },
  );
