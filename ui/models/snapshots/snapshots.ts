import { createReading } from "../reading.ts";
import type { Toasts } from "../toasts.ts";
import type { Snapshot, SnapshotApi } from "./api.ts";
import { keepBefore } from "./guard.ts";

/** A snapshot that is larger is not held in the page to undo that it was deleted. */
const MOST_HELD = 256 * 1024 * 1024;

export type Snapshots = ReturnType<typeof createSnapshots>;

/** The saved worlds, and what can be done with them; what can be taken back says so. */
export function createSnapshots(api: SnapshotApi, toasts: Toasts, world: string) {
  const list = createReading(api.snapshots);

  return {
    list,
    find: (name: string): Snapshot | undefined => list.value.peek()?.find((one) => one.name === name),

    /** @throws ApiError */
    async save(name: string): Promise<Snapshot> {
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
        api.restore(guard),
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

    /** @throws ApiError */
    async upload(name: string, content: Blob): Promise<void> {
      await api.upload(name, content);
      await list.read();
      toasts.done(`The file was added as ${name}.`);
    },
  };
}
