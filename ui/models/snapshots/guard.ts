import type { SnapshotApi } from "./api.ts";

/** The longest name that the server takes. */
export const LONGEST = 64;

/**
 * The names under which a world is kept before it goes back: only the latest is kept, so there is one. The other
 * serves when the world goes back to that very one.
 * @param world the world's name
 */
export function guardNames(world: string): [usual: string, other: string] {
  const name = `undo-${world}`.slice(0, LONGEST - 2);
  return [name, `${name}-2`];
}

/** The name that is used before the world goes back to `target`. */
export function guardName(world: string, target: string | undefined): string {
  const [usual, other] = guardNames(world);
  return usual === target ? other : usual;
}

/** The name under which a world is saved before each advance of its clock. */
export const advanceName = (world: string): string => `before-advance-${world}`.slice(0, LONGEST);

/**
 * Saves a world before it goes back, so that this can be undone. Only the latest such snapshot stays.
 * @param target the snapshot that the world goes back to; undefined for the fixtures
 * @returns the name of that snapshot
 * @throws ApiError when it cannot be saved: then nothing goes back
 */
export async function keepBefore(
  api: Pick<SnapshotApi, "save" | "snapshots" | "remove">,
  world: string,
  target: string | undefined,
): Promise<string> {
  const snapshot = guardName(world, target);
  await api.save(snapshot);
  const stale = guardNames(world).filter((name) => name !== snapshot && name !== target);
  for (const { name } of await api.snapshots()) if (stale.includes(name)) await api.remove(name);
  return snapshot;
}

/**
 * Goes back to a snapshot of `keepBefore`. What happened since is saved in its turn, so nothing is lost.
 * @returns what to say of it
 */
export async function goBackTo(
  api: Pick<SnapshotApi, "save" | "snapshots" | "remove" | "restore">,
  world: string,
  guard: string,
): Promise<string> {
  const since = await keepBefore(api, world, guard);
  await api.restore(guard);
  return `Undone. The state before that is the snapshot ${since}.`;
}
