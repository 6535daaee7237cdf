import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./parts.tsx";

/** Something that has to be finished or left first. Escape and the backdrop leave it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal?.();
    return () => dialog?.close?.();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="dialog">
        <header>
          <h2 id={id}>{title}</h2>
          <Button look="quiet" icon="cross" aria-label="Close" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
