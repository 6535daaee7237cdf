import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Problem } from "./parts.tsx";
import {
  FormRefusalProvider,
  FormSendingProvider,
  isUnclaimed,
  type Refusal,
  useSending,
} from "./sending.ts";

type FormProps = Omit<JSX.IntrinsicElements["form"], "onSubmit"> & {
  /** Submits the form. Until the promise resolves, the submit button is busy and additional submits are ignored. */
  onSend: () => unknown;
  children: ComponentChildren;
};

/** The form's error, unless one of its fields already shows it. */
function Unclaimed({ of: refusal }: { of: Refusal }) {
  return isUnclaimed(refusal) ? <Problem error={refusal.error!} /> : null;
}

/** The fields of a form, with the form's error below them. */
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

export function Form({ onSend, children, ...rest }: FormProps) {
  const sending = useSending(onSend);
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        void sending.send();
      }}
    >
      <FormSendingProvider value={sending}>{children}</FormSendingProvider>
    </form>
  );
}
