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
  /** Sends what is filled in. While it does, its submit button is busy, and submitting again does nothing. */
  onSend: () => unknown;
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
