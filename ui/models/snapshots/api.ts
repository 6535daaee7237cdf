import type { Static } from "typebox";
import type { NewWorld as NewWorldSchema, Snapshot, World } from "../../../src/operations/schemas/worlds.ts";
import type { Transport } from "../../api.ts";
import type { Status } from "../../api-types.ts";

export type { Snapshot, World };

export type NewWorld = Static<typeof NewWorldSchema>;

export type SnapshotApi = ReturnType<typeof createSnapshotApi>;

const id = encodeURIComponent;

/** Snapshots and worlds of the server, asked through the world of this page. */
export function createSnapshotApi({ json: ask, control: call, data, file }: Transport) {
  return {
    snapshots: () => data<Snapshot>("snapshots"),
    worlds: () => data<World>("worlds"),

    save: (name?: string) => call<Snapshot>("POST", "snapshots", name ? { name } : {}),
    /** Brings back the world that the last reset or restore replaced. */
    undo: () => call<Status>("POST", "undo"),
    restore: (name: string) => call<Status>("POST", `snapshots/${id(name)}/restore`),
    remove: (name: string) => call<unknown>("DELETE", `snapshots/${id(name)}`),
    download: (name: string) => file(downloadPath(name)),
    upload: (name: string, content: Blob) =>
      ask<Snapshot>("POST", "_sandbox/snapshots/upload", { query: { name }, body: content }),

    create: (world: NewWorld) => call<Status>("POST", "worlds", world),
    end: (name: string) => call<unknown>("DELETE", `worlds/${id(name)}`),
    /** Saves another world than that of this page. */
    saveWorld: (root: string, world: string, name: string) =>
      ask<Snapshot>("POST", `${worldBase(root, world)}_sandbox/snapshots`, { body: { name } }),
  };
}

export const downloadPath = (name: string): string => `_sandbox/snapshots/${id(name)}/download`;

/** The world that is served at the root. */
export const DEFAULT_WORLD = "default";

/** Where the server is, whichever of its worlds a page is of. */
export const rootOf = (base: string): string => base.replace(/\/w\/[^/]+\/$/, "/");

/** The page of a world. */
export const worldBase = (root: string, name: string): string =>
  name === DEFAULT_WORLD ? root : `${root}w/${id(name)}/`;
