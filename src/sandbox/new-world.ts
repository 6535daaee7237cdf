import type { Settings } from "../config/config.ts";
import type { ClockChange } from "../world/clock.ts";
import type { Beginning, Beginnings } from "./beginnings.ts";

/** The options of a new world. */
export interface NewWorld {
  /** By default, a name is generated. */
  name?: string | undefined;
  /** The seed of its fixtures; the server's seed and start by default. */
  seed?: string | undefined;
  /** The virtual milliseconds at which they begin. */
  startAt?: number | undefined;
  /** A world or a snapshot to continue, or fixtures or a scenario to begin with. */
  from?: string | undefined;
  /** How its clock runs; by default as configured, or as in the world that it continues from. */
  clock?: Omit<ClockChange, "now"> | undefined;
}

/** A new world of this process. */
export interface NewWorldHere extends NewWorld {
  /** Settings that differ from the server's configuration. */
  settings?: Partial<Settings> | undefined;
  /** The world through which it is made: its different settings apply to this one, too. */
  through?: string;
  /** Whether the request came from another machine, which may name no files of this one. */
  remote?: boolean;
}

/**
 * The beginning of a new world in place of a seed; undefined if it has a seed.
 * @param usual the server's default beginning
 * @param names other possible values of `from`, for hints
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
