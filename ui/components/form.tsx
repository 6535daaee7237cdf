import type { ComponentChildren, JSX, RefObject } from "preact";
import { useMemo } from "preact/hooks";
import { Problem, Submit, ViewHead } from "./parts.tsx";
import {
  FormRefusalProvider,
  FormSendingProvider,
  isUnclaimed,
  type Refusal,
  useSending,
} from "./sending.ts";

type FormProps = Omit<JSX.IntrinsicElements["form"], "onSubmit" | "ref"> & {
  /** Sends what is filled in. While it does, its submit button is busy, and submitting again does nothing. */
  onSend: () => unknown;
  element?: RefObject<HTMLFormElement | null>;
  children: ComponentChildren;
};

/** Why a form was refused, unless one of its fields says so. */
function Unclaimed({ of: refusal }: { of: Refusal }) {
  return isUnclaimed(refusal) ? <Problem error={refusal.error!} /> : null;
}

/** The fields of a form, and below them why it was refused. */
export function Refusable({ error, children }: { error: Error | undefined; children: ComponentChildren }) {
  const fields = useMemo(() => new Set<string>(), []);
  const refusal: Refusal = { error, fields };
  return (
    <FormRefusalProvider value={refusal}>
      {children}
      <Unclaimed of={refusal} />
    </FormRefusalProvider>
  );
}

/** A form that sends once at a time. */
export function Form({ onSend, element, children, ...rest }: FormProps) {
  const sending = useSending(onSend);
  return (
    <form
      {...rest}
      {...(element ? { ref: element } : {})}
      onSubmit={(event) => {
        event.preventDefault();
        void sending.send();
      }}
    >
      <FormSendingProvider value={sending}>{children}</FormSendingProvider>
    </form>
  );
}

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
      <ViewHead path={<a href={parent.href}>{parent.title}</a>} title={title} />
      <div class="card stack">
        <Refusable error={error}>{children}</Refusable>
        <div class="actions">
          <Submit>{action}</Submit>
          <a href={parent.href}>Cancel</a>
        </div>
      </div>
    </Form>
  );
}
