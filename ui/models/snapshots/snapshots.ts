import { ApiError } from "../../api.ts";
import { createReading } from "../reading.ts";
import type { Toasts } from "../toasts.ts";
import type { Snapshot, SnapshotApi } from "./api.ts";
import { goBackTo, keepBefore } from "./names.ts";

/** A snapshot that is larger is not held in the page to undo that it was deleted. */
const MOST_HELD = 256 * 1024 * 1024;

const TAKEN = "conflict";

/** The name that was refused because a snapshot has it. */
export const takenName = (error: Error | undefined): string | undefined =>
  error instanceof ApiError && error.code === TAKEN ? error.param : undefined;

export type Snapshots = ReturnType<typeof createSnapshots>;

/** The saved worlds, and what can be done with them; what can be taken back says so. */
export function createSnapshots(api: SnapshotApi, toasts: Toasts, world: string) {
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

    /** Goes back; the world as it was is kept first. @throws ApiError */
    async restore(name: string): Promise<void> {
      const guard = await keepBefore(api, world, name);
      await api.restore(name);
      await list.read();
      toasts.done(`The world was restored to ${name}. Its earlier state is the snapshot ${guard}.`, () =>
        goBackTo(api, world, guard),
      );
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
