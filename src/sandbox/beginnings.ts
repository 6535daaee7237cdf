import type { From, Settings } from "../config/config.ts";
import type { Input } from "../http/shapes.ts";
import type * as schemas from "../operations/worlds.ts";
import type { AnyArea } from "./areas.ts";

/** The beginning of a world in place of a seed. */
export interface Beginning {
  /** Its database, without the configuration's additions. */
  bytes: Buffer;
  /** Settings that differ from the configuration, from the scenario that led to it. */
  settings: Partial<Settings>;
  /** Whether it is a snapshot: a world that names one also continues its clock. */
  isSnapshot?: true;
  /** Makes the beginning again from the present files, for a reset. If undefined, the bytes never change. */
  again?: () => Promise<Beginning>;
}

/**
 * The files that may be a world's source: all of the `machine` for the person who started the process; those of the `project`,
 * the folder where it was started, for callers of the control API on this machine; none for others, who may only use `names`.
 */
export type Reach = "machine" | "project" | "names";

export interface Beginnings {
  /**
   * @param reach the files that may be read
   * @param names other possible names, for hints
   * @throws SandboxError `not_found`, `invalid_fixtures`, `bad_request`, `forbidden`
   */
  find(from: From, reach: Reach, names?: readonly string[]): Promise<Beginning>;
}

/**
 * A beginning from the bytes of a snapshot.
 * @param shown how a person named it
 * @throws SandboxError `bad_request` if this version cannot use them
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
