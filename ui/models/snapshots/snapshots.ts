import { ApiError } from "../../api.ts";
import { createReading } from "../reading.ts";
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

/** The name under which a world is kept before it ends. */
export const lastName = (world: string): string => `last-of-${world}`.slice(0, LONGEST);

/** The name under which a world is saved before each advance of its clock. */
export const advanceName = (world: string): string => `before-advance-${world}`.slice(0, LONGEST);

/** A snapshot's name, made of a file's. */
export function nameOfFile(file: string): string {
  const name = file
    .replace(/\.sandglass$/i, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, LONGEST);
  return name || "uploaded";
}

/** A snapshot that is larger is not held in the page to undo that it was deleted. */
const MOST_HELD = 256 * 1024 * 1024;

const TAKEN = "conflict";

/** The name that was refused because a snapshot has it. */
export const takenName = (error: Error | undefined): string | undefined =>
  error instanceof ApiError && error.code === TAKEN ? error.param : undefined;

export type Snapshots = ReturnType<typeof createSnapshots>;

/** The saved worlds, and what can be done with them; what can be taken back says so. */
export function createSnapshots(api: SnapshotApi, toasts: Toasts) {
  const list = createReading(api.snapshots);

  /** Refuses a name that is taken: what it names would be lost. @throws ApiError `conflict` */
  async function requireFree(name: string): Promise<void> {
    if (!(await api.snapshots()).some((one) => one.name === name)) return;
    throw new ApiError(409, {
      code: TAKEN,
      message: `There is a snapshot ${name} already.`,
      hint: "Choose another name, or replace it.",
      param: name,
    });
  }

  return {
    list,
    find: (name: string): Snapshot | undefined => list.value.peek()?.find((one) => one.name === name),

    /** @param replace whether a snapshot of that name may be lost @throws ApiError */
    async save(name: string, replace = false): Promise<Snapshot> {
      if (name && !replace) await requireFree(name);
      const saved = await api.save(name || undefined);
      await list.read();
      toasts.done(`The world is saved as ${saved.name}.`);
      return saved;
    },

    /** @throws ApiError */
    async restore(name: string): Promise<void> {
      await api.restore(name);
      toasts.done(`The world was restored to ${name}.`, api.undo);
    },

    /** @throws ApiError */
    async remove({ name, bytes, problem }: Snapshot): Promise<void> {
      const held = bytes <= MOST_HELD && problem === null ? await api.download(name) : undefined;
      await api.remove(name);
      await list.read();
      const undo = held
        ? async () => {
            await api.upload(name, held);
            await list.read();
          }
        : undefined;
      toasts.done(`The snapshot ${name} is deleted.`, undo);
    },

    /** @param replace whether a snapshot of that name may be lost @throws ApiError */
    async upload(name: string, content: Blob, replace = false): Promise<void> {
      if (!replace) await requireFree(name);
      await api.upload(name, content);
      await list.read();
      toasts.done(`The file was added as ${name}.`);
    },
  };
}
