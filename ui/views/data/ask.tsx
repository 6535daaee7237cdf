import type { ComponentChildren } from "preact";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Submit } from "../../components/parts.tsx";
import type { Binding } from "../../models/binding.ts";

interface AskFormProps {
  label: string;
  placeholder: string;
  of: Binding<string>;
  problem: string;
  /** What the button says. */
  action: string;
  onAsk: () => void;
  /** What is asked beside it. */
  children?: ComponentChildren;
}

/** What is asked of chain data, in a line. */
export function AskForm({ problem, action, onAsk, children, ...field }: AskFormProps) {
  return (
    <Form class="card ask" onSend={onAsk}>
      <Field type="search" error={problem} {...field} />
      <Submit>{action}</Submit>
      {children}
    </Form>
  );
}
