import type { From, Settings } from "../config/config.ts";
import type { Input } from "../http/shapes.ts";
import type * as schemas from "../operations/worlds.ts";
import type { AnyArea } from "./areas.ts";

/** What a world begins with instead of a seed. */
export interface Beginning {
  /** Its database, without the configuration's additions. */
  bytes: Buffer;
  /** Settings of the scenario that led to it, if they differ from the configuration. */
  settings: Partial<Settings>;
  /** Whether it is a snapshot. A world created from a snapshot also continues its clock. */
  isSnapshot?: true;
  /** Rebuilds it from the current files, for a reset. If undefined, the bytes never change. */
  again?: () => Promise<Beginning>;
}

/**
 * Which files may be a world's source: for the person who started the process, all files on the `machine`; for local
 * callers of the control API, those in the `project`, the folder where it was started; for others none, they can only use
 * `names`.
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
 * Creates a beginning from a snapshot's bytes.
 * @param shown how the user named it
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

/** The options of a new world. By default, it begins as configured for the server. */
export interface NewWorld extends Omit<Input<typeof schemas.NewWorld>, "startAt"> {
  /** When its fixtures begin, in virtual milliseconds. */
  startAt?: number | undefined;
  /** Settings that differ from the server's configuration. */
  settings?: Partial<Settings> | undefined;
  /** The world that the request was made through; its settings apply to the new world as well. */
  through?: string;
  /** Whether the request came from another machine, which may not name files on this one. */
  remote?: boolean;
}

/**
 * What a new world begins with instead of a seed; undefined if it has a seed.
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
