import { type ReadonlySignal, useSignal } from "@preact/signals";

/** What a dialog is open for; undefined while it is closed. */
export function useDialog<Target = true>() {
  const target = useSignal<Target | undefined>(undefined);
  return {
    target: target as ReadonlySignal<Target | undefined>,
    open: (next: Target): void => {
      target.value = next;
    },
    close: (): void => {
      target.value = undefined;
    },
  };
}
