import { type ReadonlySignal, signal } from "@preact/signals";
import { ApiError } from "../api.ts";

/** A message in the corner. It disappears automatically unless it reports an error. */
export interface Toast {
  id: number;
  tone: "good" | "bad" | "plain";
  text: string;
  hint?: string | undefined;
  /** Whether it reports that the sandbox is not responding. */
  unanswered?: boolean;
  /** Reverts the action. Shows the string that it resolves with or, without one, "Undone." */
  undo?: (() => Promise<unknown>) | undefined;
}

const SHOWN_MS = 6_000;
/** Messages that offer Undo stay longer. */
const SHOWN_WITH_UNDO_MS = 12_000;
/**
 * The maximum number of messages. Errors stay until they are dismissed; a new message replaces one of any other kind.
 */
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
    /** Reports a result that is not a complete success. */
    note: (text: string, undo?: () => Promise<unknown>) => show({ tone: "plain", text, undo }),
    fail,
    /** Called when the sandbox responds again. Removes messages that report that it is not responding. */
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
    /** Runs work that may fail, and reports a failure. */
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
