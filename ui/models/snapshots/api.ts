import type { Static } from "typebox";
import type { NewWorld as NewWorldSchema, Snapshot, World } from "../../../src/operations/schemas/worlds.ts";
import type { Transport } from "../../api.ts";
import type { Status } from "../../api-types.ts";

export type { Snapshot, World };

export type NewWorld = Static<typeof NewWorldSchema>;

export type SnapshotApi = ReturnType<typeof createSnapshotApi>;

const id = encodeURIComponent;

/** Snapshots and worlds of the server, asked through the world of this page. */
export function createSnapshotApi({ control: call, data }: Transport) {
  return {
    snapshots: () => data<Snapshot>("snapshots"),
    worlds: () => data<World>("worlds"),

    save: (name?: string) => call<Snapshot>("POST", "snapshots", name ? { name } : {}),
    /** Back to the fixtures of the world's seed. */
    reset: () => call<Status>("POST", "reset", {}),
    /** Brings back the world that the last reset or restore replaced. */
    undo: () => call<Status>("POST", "undo"),
    restore: (name: string) => call<Status>("POST", `snapshots/${id(name)}/restore`),
    remove: (name: string) => call<unknown>("DELETE", `snapshots/${id(name)}`),
    create: (world: NewWorld) => call<Status>("POST", "worlds", world),
  };
}

/** The world that is served at the root. */
export const DEFAULT_WORLD = "default";

/** Where the server is, whichever of its worlds a page is of. */
export const rootOf = (base: string): string => base.replace(/\/w\/[^/]+\/$/, "/");

/** The page of a world. */
export const worldBase = (root: string, name: string): string =>
  name === DEFAULT_WORLD ? root : `${root}w/${id(name)}/`;
