import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { useApp } from "./context.ts";

type Closable = ComponentType<{ onClose: () => void }>;

/** A part of the page whose code is loaded when it is first asked for. */
export function Later({ load, onClose }: { load: () => Promise<Closable>; onClose: () => void }) {
  const { toasts } = useApp();
  const loaded = useSignal<{ Dialog: Closable } | undefined>(undefined);
  useEffect(() => {
    void toasts.attempt(load).then((Dialog) => {
      if (Dialog) loaded.value = { Dialog };
      else onClose();
    });
  }, []);
  return loaded.value ? <loaded.value.Dialog onClose={onClose} /> : null;
}
