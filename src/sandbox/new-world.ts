import type { Settings } from "../config/config.ts";
import type { Input } from "../http/shapes.ts";
import type * as schemas from "../operations/schemas/worlds.ts";
import type { Beginning, Beginnings } from "./beginnings.ts";

/** The options of a new world; by default it begins as the server's configuration says. */
export interface NewWorld extends Omit<Input<typeof schemas.NewWorld>, "startAt"> {
  /** The virtual milliseconds at which its fixtures begin. */
  startAt?: number | undefined;
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
  { seed, startAt, from, settings, remote = false }: NewWorld,
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
