import type { Settings } from "../config/config.ts";
import type { ClockChange } from "../world/clock.ts";
import type { Beginning, Beginnings } from "./beginnings.ts";

/** The options of a new world. */
export interface NewWorld {
  /** One is made when none is given. */
  name?: string | undefined;
  /** Fixtures to begin with; the server's seed and start without it. */
  seed?: string | undefined;
  /** Virtual milliseconds at which they begin. */
  startAt?: number | undefined;
  /** A world or a snapshot to go on from instead, or fixtures or a scenario to begin with. */
  from?: string | undefined;
  /** How its clock runs; as the configuration says, or as it ran in what it goes on from, without it. */
  clock?: Omit<ClockChange, "now"> | undefined;
}

/** As this process makes one. */
export interface NewWorldHere extends NewWorld {
  /** What differs from the server's configuration. */
  settings?: Partial<Settings> | undefined;
  /** The world that it is asked for through: what differs in that one differs in this one, too. */
  through?: string;
  /** Whether it was asked for from another machine, which may name no files of this one. */
  remote?: boolean;
}

/**
 * What a new world begins with in place of a seed; undefined where it begins with one.
 * @param usual what worlds of the server begin with that say nothing of it
 * @param names what else `from` can name, for hints
 */
export async function beginningFor(
  { seed, startAt, from, settings, remote = false }: NewWorldHere,
  usual: Beginning | undefined,
  beginnings: Beginnings,
  names: readonly string[],
): Promise<Beginning | undefined> {
  if (from !== undefined)
    return beginnings.find({ path: from, seed, startAt }, remote ? "names" : "project", names);
  if (seed !== undefined || startAt !== undefined) return undefined;
  if (settings === undefined || !("from" in settings)) return usual;
  return settings.from && beginnings.find(settings.from, "machine");
}
