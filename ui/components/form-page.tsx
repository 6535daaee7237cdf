import type { ComponentChildren } from "preact";
import { Form } from "./form.tsx";
import { Button, Problem } from "./parts.tsx";

interface FormPageProps {
  title: string;
  /** Where it belongs, and where Cancel leads. */
  parent: { title: string; href: string };
  /** What the button says. */
  action: string;
  onSend: () => Promise<void>;
  /** What is wrong, unless a field says it. */
  error?: Error | undefined;
  children: ComponentChildren;
}

/** A view that is a form: something new, or a change of what there is. */
export function FormPage({ title, parent, action, onSend, error, children }: FormPageProps) {
  return (
    <Form class="view narrow" onSend={onSend}>
      <header class="view-head">
        <div>
          <p class="note">
            <a href={parent.href}>{parent.title}</a>
          </p>
          <h1>{title}</h1>
        </div>
      </header>
      <div class="card stack">
        {children}
        {error && <Problem error={error} />}
        <div class="actions">
          <Button look="main" type="submit">
            {action}
          </Button>
          <a href={parent.href}>Cancel</a>
        </div>
      </div>
    </Form>
  );
}
