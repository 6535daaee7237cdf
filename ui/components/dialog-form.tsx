import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import { Button, Problem } from "./parts.tsx";
import { useSubmit } from "./sending.ts";

interface DialogFormProps {
  title: string;
  /** What the button says. */
  action: string;
  look?: "main" | "danger";
  disabled?: boolean;
  onSend: () => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog that sends what is filled in, or shows why it was refused. */
export function DialogForm(props: DialogFormProps) {
  const { title, action, look = "main", disabled = false, onSend, onClose, children } = props;
  const { error, send } = useSubmit(onSend);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form class="stack" onSend={send}>
        {children}
        {error.value && <Problem error={error.value} />}
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
