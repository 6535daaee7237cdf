import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../api.ts";
import type { Status } from "../api-types.ts";
import type { Clock } from "./clock.ts";
import { createSnapshotApi } from "./snapshots/api.ts";
import { advanceName, goBackTo, keepBefore } from "./snapshots/names.ts";
import type { Toasts } from "./toasts.ts";

export type AdvanceUndo = ReturnType<typeof createUndo>;

/** Takes back the latest advance: the world is saved before each. */
export function createUndo(
  api: Api,
  toasts: Toasts,
  status: ReadonlySignal<Status>,
  clock: Pick<Clock, "state" | "now">,
) {
  const snapshots = createSnapshotApi(api.transport);
  const saved = signal<{ label: string; to?: number } | undefined>(undefined);
  /** Another client moved the paused clock on: to go back would undo that, too. */
  const isMoved = () =>
    clock.state.value.mode === "paused" && clock.now.value > (saved.value?.to ?? Infinity);
  const label = computed(() => (isMoved() ? undefined : saved.value?.label));
  const nameOf = () => advanceName(status.peek().world);

  return {
    /** What would be taken back, such as `+1 h`; undefined when nothing can be. */
    label,
    /** Saves the world before an advance. An advance that cannot be undone is better than none. */
    async save(next: string): Promise<void> {
      saved.value = undefined;
      const snapshot = await snapshots.save(nameOf()).catch(() => undefined);
      if (snapshot) saved.value = { label: next };
    },
    /** The advance ended. @param to virtual milliseconds */
    ended(to: number): void {
      if (saved.value) saved.value = { ...saved.value, to };
    },
    /** Goes back to before the latest advance; what was done since is undone, too. */
    async undo(): Promise<void> {
      const undone = label.peek();
      if (undone === undefined) return;
      saved.value = undefined;
      await toasts.attempt(async () => {
        const guard = await keepBefore(snapshots, status.peek().world, nameOf());
        await snapshots.restore(nameOf());
        toasts.done(`${undone} is undone.`, () => goBackTo(snapshots, status.peek().world, guard));
      });
    },
    /** The world is another one now. */
    forget(): void {
      saved.value = undefined;
    },
  };
}
