import type { From, Settings } from "../config/config.ts";
import type { AnyArea } from "./areas.ts";

/** What a world begins with in place of a seed. */
export interface Beginning {
  /** Its database, without what the configuration adds. */
  bytes: Buffer;
  /** What its world does differently from the configuration, as the scenario that led to it says. */
  settings: Partial<Settings>;
  /** Whether it is a snapshot: a world that names one goes on with its clock as well. */
  isSnapshot?: true;
  /** The same from the files as they are now, for a reset. Without it, the bytes are good for ever. */
  again?: () => Promise<Beginning>;
}

/**
 * Which files a beginning may be read from: all of the `machine` for the person who started the process; those of the `project`, the
 * folder where it was started, for callers of the control API on this machine; none for others, who give `names` alone.
 */
export type Reach = "machine" | "project" | "names";

/** Finds beginnings by what a person writes. */
export interface Beginnings {
  /**
   * @param reach which files may be read
   * @param names what else could have been named, for hints
   * @throws SandboxError `not_found`, `invalid_fixtures`, `bad_request`, `forbidden`
   */
  find(from: From, reach: Reach, names?: readonly string[]): Promise<Beginning>;
}

/**
 * A beginning from the bytes of a snapshot.
 * @param shown how a person named it
 * @throws SandboxError `bad_request` where they are no snapshot that this version can use
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
