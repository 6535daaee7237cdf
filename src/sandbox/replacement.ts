import { conflict, invalidState } from "../errors/errors.ts";
import type { AreaPart } from "../http/area.ts";
import type { RequestLog } from "../http/request-log.ts";
import type { Replacement } from "../world/home.ts";
import type { World } from "../world/world.ts";
import { inTurn } from "./heavy.ts";

export interface Replacements {
  /**
   * Resets the world to a seed's fixtures and their start time, or to the state that the world itself started from.
   * Files are read again.
   * @throws SandboxError if that state cannot be found
   */
  reset(seed?: string): Promise<void>;
  /**
   * Restores a snapshot that `inspectSnapshot` has accepted. Requests that were in flight when it was taken are sent
   * again.
   */
  restore(snapshot: Buffer, label: string): Promise<void>;
  /**
   * Brings back the world that the last reset, restore or undo replaced, or the world before an outage or a story. A
   * second undo reverts the first.
   * @throws SandboxError `invalid_state` if nothing was replaced
   */
  undo(): Promise<void>;
  /**
   * Runs an operation that a single `undo` reverts completely. Only one such operation runs at a time.
   * @throws SandboxError `conflict` while another is running
   */
  playUndoable<Result>(play: () => Promise<Result>): Promise<Result>;
  /**
   * Remembers the world's current state, between two advances.
   * @returns a function that restores that state like `restore`, but faster; it invalidates later marks
   */
  mark(): Promise<() => Promise<void>>;
}

export interface ReplacementsOptions {
  world: World;
  parts: readonly AreaPart[];
  requests: RequestLog;
  /** Opens the areas that a database needs, before the world switches to that database. */
  prepare: (bytes: Buffer) => Promise<void>;
  /** Recreates the database that the world started from, or the one of another seed. */
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

  /**
   * Replaces the world between two advances.
   * @param work writes rows to the new world
   */
  async function replaceBy(next: Replacement, work: () => void): Promise<void> {
    // Any other database belonged to this world earlier, so the areas that it needs are already open.
    if ("bytes" in next) await prepare(next.bytes);
    clock.anchor();
    await inTurn(() => store.restore(next, work));
    requests.clear();
    scheduler.resume();
  }

  let isPlaying = false;

  /** Saves the current world, so `undo` can bring it back. */
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
          "Wait until the outage or story ends, or cancel its advance to end it.",
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
      command: "To be able to go back later, save the world: npx sandglass snapshot save <name>",
      library: "To be able to go back later, save the world with snapshot().",
      http: "To be able to go back later, save the world with POST /_sandbox/snapshots.",
      page: "To be able to go back later, save the world under Snapshots.",
    },
  );
