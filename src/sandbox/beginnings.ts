import type { From, Settings } from "../config/config.ts";
import type { Input } from "../http/shapes.ts";
import type * as schemas from "../operations/worlds.ts";
import type { AnyArea } from "./areas.ts";

/** The state that a world starts from instead of a seed. */
export interface Beginning {
  /** The database in that state, without the rows that the configuration adds. */
  bytes: Buffer;
  /** Settings of the scenario that created the state, if they differ from the configuration. */
  settings: Partial<Settings>;
  /** Whether the state is a snapshot. A world that starts from a snapshot also continues its clock. */
  isSnapshot?: true;
  /** Rebuilds the state from the current files, for a reset. If undefined, the bytes never change. */
  again?: () => Promise<Beginning>;
}

/**
 * Which files may be used to create a world: `machine` allows all files on this machine and is for the person who
 * started the process; `project` allows files in the folder where it was started and is for local callers of the
 * control API; `names` allows no files, only names, and is for everyone else.
 */
export type Reach = "machine" | "project" | "names";

export interface Beginnings {
  /**
   * @param reach which files may be read
   * @param names other valid names, for hints
   * @throws SandboxError `not_found`, `invalid_fixtures`, `bad_request`, `forbidden`
   */
  find(from: From, reach: Reach, names?: readonly string[]): Promise<Beginning>;
}

/**
 * Creates a starting state from a snapshot's bytes.
 * @param shown the snapshot's name as the user wrote it
 * @throws SandboxError `bad_request` if this version cannot use the bytes
 */
export async function snapshotBeginning(
  content: Buffer,
  shown: string,
  areas: readonly AnyArea[],
): Promise<Beginning> {
  const { inspect } = await import("./in-thread.ts");
  const { bytes } = await inspect(content, areas, shown);
  return { bytes, settings: {}, isSnapshot: true };
}

/** The options for a new world. By default, it starts as configured for the server. */
export interface NewWorld extends Omit<Input<typeof schemas.NewWorld>, "startAt"> {
  /** The virtual time at which its fixtures start, in milliseconds. */
  startAt?: number | undefined;
  /** Settings that override the server's configuration. */
  settings?: Partial<Settings> | undefined;
  /** The world through which the request was made. Its settings also apply to the new world. */
  through?: string;
  /** Whether the request came from another machine. Such a request may not name files on this one. */
  remote?: boolean;
}

/**
 * Finds the state that a new world starts from instead of a seed; undefined if it has a seed.
 * @param usual the server's default
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
