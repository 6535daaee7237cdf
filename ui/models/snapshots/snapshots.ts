import type { Toasts } from "../toasts.ts";
import type { Snapshot, SnapshotApi } from "./api.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The longest name that the server takes. */
const LONGEST = 64;

/** @returns what is wrong with a name, if anything is; none at all is fine, as the server makes one */
export function nameProblem(name: string): string | undefined {
  if (name === "" || NAME.test(name)) return undefined;
  return "1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit.";
}

/** The name under which a world is saved before each advance of its clock. */
export const advanceName = (world: string): string => `before-advance-${world}`.slice(0, LONGEST);

export type Snapshots = ReturnType<typeof createSnapshots>;

/** What can be done with whole worlds; each says how it is taken back. */
export function createSnapshots(api: SnapshotApi, toasts: Toasts) {
  return {
    /** @returns what is wrong with the name, if anything is */
    async save(name: string): Promise<string | undefined> {
      const problem = nameProblem(name);
      if (problem !== undefined) return problem;
      if (name !== "" && (await api.snapshots()).some((one: Snapshot) => one.name === name))
        return `There is a snapshot ${name} already. Choose another name.`;
      const saved = await api.save(name || undefined);
      toasts.done(`The world is saved as ${saved.name}.`, () => api.remove(saved.name));
      return undefined;
    },

    /** @throws ApiError */
    async restore(name: string): Promise<void> {
      await api.restore(name);
      toasts.done(`The world was restored to ${name}.`, api.undo);
    },

    /** @throws ApiError */
    async reset(): Promise<void> {
      const { seed } = await api.reset();
      toasts.done(`The world was reset to the fixtures of the seed ${seed}.`, api.undo);
    },
  };
}
