import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../api.ts";
import type { Advance, Status } from "../api-types.ts";
import type { AdvanceProgress, Clock } from "./clock.ts";
import { count, roughly } from "./format.ts";
import type { Toasts } from "./toasts.ts";
import { advanceName } from "./worlds.ts";

/** The steps in the clock bar, with their keys. Rarely used steps are in its menu. */
export const STEPS: { label: string; request: Advance; key: string; rare?: true }[] = [
  { label: "+1 min", request: { by: "1m" }, key: "→", rare: true },
  { label: "+10 min", request: { by: "10m" }, key: "⇧ →" },
  { label: "+1 h", request: { by: "1h" }, key: "h" },
  { label: "+1 day", request: { by: "1d" }, key: "d" },
];
/** Timers of the demo data are skipped as long as one of the user's own timers is due. */
export const NEXT: Advance = { until: "next", own: true };
export const IDLE: Advance = { until: "idle" };

/** The available clock rates, in virtual seconds per real second. */
export const RATES = [1, 10, 60, 600, 3_600];

/** Describes a running advance, for example `by 1h`, `to what is due next` or `to 2026-01-16`. */
export function requestWords({ by, to, until }: Advance): string {
  if (until === "next") return "to what is due next";
  if (until === "idle") return "until nothing is due";
  if (until !== undefined) return `until ${until}`;
  return by === undefined ? `to ${to}` : `by ${by}`;
}

/** Describes a finished advance, for example `+1 h` or `the advance to 2026-01-16`. */
export function advanceLabel(request: Advance): string {
  const step = STEPS.find((one) => JSON.stringify(one.request) === JSON.stringify(request));
  return (
    step?.label ?? (request.by === undefined ? `the advance ${requestWords(request)}` : `+${request.by}`)
  );
}

/** Describes the progress of an advance: `24 m of 1 h: 12 entries, waiting for 1 response`. */
export function progressWords({ from, now, to, entries, waiting }: AdvanceProgress): string {
  const goal = to === null ? "" : ` of ${roughly(to - from)}`;
  const open = waiting === 0 ? "" : `, waiting for ${count(waiting, "response")}`;
  return `${roughly(now - from)}${goal}: ${count(entries, "entry", "entries")}${open}`;
}

export type AdvanceUndo = ReturnType<typeof createUndo>;

/** Undoes the latest advance by restoring the snapshot that was taken before it. */
export function createUndo(
  api: Api,
  toasts: Toasts,
  status: ReadonlySignal<Status>,
  clock: Pick<Clock, "state" | "now">,
) {
  const saved = signal<{ label: string; back: () => Promise<unknown>; to?: number } | undefined>(undefined);
  /** Whether another client has advanced the paused clock since then. Undoing would revert that as well. */
  const isMoved = () =>
    clock.state.value.mode === "paused" && clock.now.value > (saved.value?.to ?? Infinity);
  const label = computed(() => (isMoved() ? undefined : saved.value?.label));
  const nameOf = () => advanceName(status.peek().world);

  return {
    /** What would be undone, such as `+1 h`; undefined if there is nothing to undo. */
    label,
    /** Saves the world before an advance. If that fails, the advance still runs, but cannot be undone. */
    async save(next: string): Promise<void> {
      saved.value = undefined;
      const snapshot = await api.saveSnapshot(nameOf()).catch(() => undefined);
      if (snapshot) saved.value = { label: next, back: () => api.restoreSnapshot(nameOf()) };
    },
    /** Called before an operation for which the server itself saves the world. */
    kept(next: string): void {
      saved.value = { label: next, back: api.undo };
    },
    /**
     * Records where the advance ended.
     * @param to the virtual time in milliseconds
     */
    ended(to: number): void {
      if (saved.value) saved.value = { ...saved.value, to };
    },
    /** Restores the world from before the latest advance. This also reverts everything that was done since then. */
    async undo(): Promise<void> {
      const undone = label.peek();
      const { back } = saved.peek() ?? {};
      if (undone === undefined || !back) return;
      saved.value = undefined;
      await toasts.attempt(async () => {
        await back();
        toasts.done(`${undone.replace(/^t/, "T")} is undone.`, api.undo);
      });
    },
    /** Called when the world was replaced, because the saved world no longer applies. */
    forget(): void {
      saved.value = undefined;
    },
  };
}
