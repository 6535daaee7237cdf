import { type ReadonlySignal, signal } from "@preact/signals";
import { ApiError } from "../api.ts";

/** A message in the corner. It goes by itself, unless it is bad news. */
export interface Toast {
  id: number;
  tone: "good" | "bad" | "plain";
  text: string;
  hint?: string | undefined;
  /** Whether it says that the sandbox does not answer. */
  unanswered?: boolean;
  /** Takes back what was done. A text that it resolves with is shown; else it says "Undone." */
  undo?: (() => Promise<unknown>) | undefined;
}

const SHOWN_MS = 6_000;
/** With something to undo there is more to think about. */
const SHOWN_WITH_UNDO_MS = 12_000;
/** Bad news stay until they were read; of good news only the latest is shown. */
const MOST = 3;

export type Toasts = ReturnType<typeof createToasts>;

export function createToasts() {
  const list = signal<Toast[]>([]);
  const timers = new Map<number, ReturnType<typeof setTimeout>>();
  let count = 0;

  function dismiss(id: number): void {
    clearTimeout(timers.get(id));
    timers.delete(id);
    list.value = list.value.filter((toast) => toast.id !== id);
  }

  function show(toast: Omit<Toast, "id">): void {
    count += 1;
    const id = count;
    const stale = list.value.filter((old) => old.tone !== "bad");
    const oldest = list.value.slice(0, Math.max(0, list.value.length + 1 - MOST));
    for (const old of new Set([...stale, ...oldest])) dismiss(old.id);
    list.value = [...list.value, { ...toast, id }];
    if (toast.tone === "bad") return;
    timers.set(
      id,
      setTimeout(() => dismiss(id), toast.undo ? SHOWN_WITH_UNDO_MS : SHOWN_MS),
    );
  }

  function fail(error: unknown): void {
    if (error instanceof ApiError)
      show({ tone: "bad", text: error.message, hint: error.hint, unanswered: error.status === 0 });
    else show({ tone: "bad", text: error instanceof Error ? error.message : String(error) });
  }

  return {
    list: list as ReadonlySignal<Toast[]>,
    dismiss,
    done: (text: string, undo?: () => Promise<unknown>) => show({ tone: "good", text, undo }),
    /** Says what was done where not all of it is good news. */
    note: (text: string, undo?: () => Promise<unknown>) => show({ tone: "plain", text, undo }),
    fail,
    /** The sandbox answers again: what says that it does not goes. */
    answered(): void {
      for (const { id, unanswered } of list.peek()) if (unanswered) dismiss(id);
    },
    async undo(toast: Toast): Promise<void> {
      dismiss(toast.id);
      try {
        const text = await toast.undo?.();
        show({ tone: "plain", text: typeof text === "string" ? text : "Undone." });
      } catch (error) {
        fail(error);
      }
    },
    /** Does something that may be refused, and says so if it is. */
    async attempt<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
      try {
        return await work();
      } catch (error) {
        fail(error);
        return undefined;
      }
    },
  };
}
