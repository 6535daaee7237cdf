import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Form, Refusable } from "./form.tsx";
import { Button } from "./parts.tsx";
import { useSubmit } from "./sending.ts";

/** Where a person goes on: the first field, or the main action of a dialog without any. */
const FIRST = "input:not([type=radio]), input:checked, select, textarea, .actions .main";

export interface Closable {
  onClose: () => void;
}

interface DialogProps extends Closable {
  title: string;
  children: ComponentChildren;
}

/**
 * Something that has to be finished or left first. Escape and the backdrop leave it. It takes the focus, and gives it
 * back to what opened it.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const pressedOutside = useRef(false);
  const opened = useRef(location.hash);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement as HTMLElement | null;
    if (dialog && !dialog.open) dialog.showModal?.();
    return () => {
      dialog?.close?.();
      const back = opener?.isConnected ? opener : document.querySelector("main");
      back?.focus();
    };
  }, []);
  useEffect(() => element.current?.querySelector<HTMLElement>(FIRST)?.focus(), [title]);
  // Back leads away from what a dialog is about. News of the change that led here may come after it is open. One that is gone
  // must hear none: `useEffect` would listen until the next frame, and close the dialog that is opened before it.
  useLayoutEffect(() => {
    const leave = () => location.hash !== opened.current && onClose();
    addEventListener("hashchange", leave);
    return () => removeEventListener("hashchange", leave);
  }, [onClose]);
  const isOutside = ({ target }: Event) => target === element.current;
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => (pressedOutside.current = isOutside(event))}
      onPointerUp={(event) => (pressedOutside.current &&= isOutside(event))}
      onClick={(event) => {
        // A click is of both elements that a drag is between, so where it began and ended tells more.
        if (pressedOutside.current && isOutside(event)) onClose();
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

interface DialogFormProps extends DialogProps {
  /** What the button says. */
  action: string;
  look?: "main" | "danger";
  disabled?: boolean;
  onSend: () => Promise<void>;
}

/** A dialog that sends what is filled in, or shows why it was refused. */
export function DialogForm(props: DialogFormProps) {
  const { title, action, look = "main", disabled = false, onSend, onClose, children } = props;
  const { error, send } = useSubmit(onSend);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form class="stack" onSend={send}>
        <Refusable error={error.value}>{children}</Refusable>
        <div class="actions">
          <Button look={look} type="submit" disabled={disabled}>
            {action}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}
