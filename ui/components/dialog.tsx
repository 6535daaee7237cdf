import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Form, Refusable } from "./form.tsx";
import { Button } from "./parts.tsx";
import { useSubmit } from "./sending.ts";

/** Matches the element that receives the initial focus: the first field or, without one, the main action. */
const FIRST = "input:not([type=radio]), input:checked, select, textarea, .actions .main";

export interface Closable {
  onClose: () => void;
}

interface DialogProps extends Closable {
  title: string;
  children: ComponentChildren;
}

/**
 * A modal dialog. Escape or a click on the backdrop closes it. It takes the focus, and returns it to the element that
 * opened the dialog.
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
  // Going back closes the dialog. The `hashchange` event that led here may fire after the dialog opens, so compare the
  // addresses. A closed dialog must stop listening at once: with `useEffect`, it would listen until the next frame and
  // close a dialog that was opened in the meantime.
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
        // When a drag ends on another element, `click` fires on a common ancestor, so check where the press started and
        // ended.
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
  /** The submit button's label. */
  action: string;
  look?: "main" | "danger";
  disabled?: boolean;
  onSend: () => Promise<void>;
}

/** A dialog with a form. It shows the error if the form is rejected. */
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
