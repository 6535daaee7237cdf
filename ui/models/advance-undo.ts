import { type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../api.ts";
import type { Status } from "../api-types.ts";
import { createSnapshotApi } from "./snapshots/api.ts";
import { keepBefore } from "./snapshots/guard.ts";
import { advanceName } from "./snapshots/names.ts";
import type { Toasts } from "./toasts.ts";

export type AdvanceUndo = ReturnType<typeof createUndo>;

/** Takes back the latest advance: the world is saved before each. */
export function createUndo(api: Api, toasts: Toasts, status: ReadonlySignal<Status>) {
  const snapshots = createSnapshotApi(api.transport);
  const label = signal<string | undefined>(undefined);
  const nameOf = () => advanceName(status.peek().world);

  return {
    /** What would be taken back, such as `+1 h`; undefined when nothing can be. */
    label: label as ReadonlySignal<string | undefined>,
    /** Saves the world before an advance. An advance that cannot be undone is better than none. */
    async save(next: string): Promise<void> {
      label.value = undefined;
      const saved = await snapshots.save(nameOf()).catch(() => undefined);
      if (saved) label.value = next;
    },
    /** Goes back to before the latest advance; what was done since is undone, too. */
    async undo(): Promise<void> {
      const undone = label.peek();
      if (undone === undefined) return;
      label.value = undefined;
      await toasts.attempt(async () => {
        const guard = await keepBefore(snapshots, status.peek().world, nameOf());
        await snapshots.restore(nameOf());
        toasts.done(`${undone} is undone.`, () => snapshots.restore(guard));
      });
    },
    /** The world is another one now. */
    forget(): void {
      label.value = undefined;
    },
  };
}
