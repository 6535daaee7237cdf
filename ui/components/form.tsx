import type { ComponentChildren, JSX, RefObject } from "preact";
import { FormSendingProvider, useSending } from "./sending.ts";

type FormProps = Omit<JSX.IntrinsicElements["form"], "onSubmit" | "ref"> & {
  /** Sends what is filled in. While it does, its submit button is busy, and submitting again does nothing. */
  onSend: () => unknown;
  element?: RefObject<HTMLFormElement | null>;
  children: ComponentChildren;
};

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
