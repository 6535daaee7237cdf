import { type ReadonlySignal, useSignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";

export interface Sending {
  /** Whether an answer is still awaited. */
  busy: ReadonlySignal<boolean>;
  /** Sends, unless it is busy or this is a further click of a double-click. */
  send(event?: { detail?: unknown }): Promise<void>;
}

/** The second click of a double-click may come when the answer to the first is already there. */
const isRepeated = (event?: { detail?: unknown }): boolean => Number(event?.detail ?? 0) > 1;

/** Guards what a button or a form sends: once at a time, and once for a double-click. */
export function useSending(work: () => unknown): Sending {
  const busy = useSignal(false);
  return {
    busy,
    async send(event) {
      if (busy.peek() || isRepeated(event)) return;
      busy.value = true;
      try {
        await work();
      } finally {
        busy.value = false;
      }
    },
  };
}

/** Sends, and has the error of the latest try; the next success clears it. */
export function useSubmit<Choice extends unknown[]>(work: (...choice: Choice) => Promise<void>) {
  const error = useSignal<Error | undefined>(undefined);
  return {
    error: error as ReadonlySignal<Error | undefined>,
    async send(...choice: Choice): Promise<void> {
      try {
        await work(...choice);
        error.value = undefined;
      } catch (reason) {
        error.value = reason as Error;
      }
    },
  };
}

const FormSending = createContext<Sending | undefined>(undefined);
export const FormSendingProvider = FormSending.Provider;

/** What the form around a submit button sends. */
export const useFormSending = (): Sending | undefined => useContext(FormSending);

/** Why what a form sent was refused, and the fields that say so themselves when they are at fault. */
export interface Refusal {
  error: (Error & { hint?: string; param?: string | undefined; status?: number }) | undefined;
  fields: Set<string>;
}

const FormRefusal = createContext<Refusal | undefined>(undefined);
export const FormRefusalProvider = FormRefusal.Provider;

/**
 * What is wrong with a field, by its name at the server; undefined unless the form around it was refused for it. What is refused
 * of a form with one field is that.
 */
export function useRefusal(param: string | undefined): string | undefined {
  const refusal = useContext(FormRefusal);
  if (!refusal || param === undefined) return undefined;
  refusal.fields.add(param);
  const { error } = refusal;
  return error && claims(refusal, param) ? `${error.message} ${error.hint ?? ""}`.trim() : undefined;
}

function claims({ error, fields }: Refusal, param: string): boolean {
  const isRefused = error?.status !== undefined && error.status >= 400 && error.status < 500;
  const isOnly = error?.param === undefined && fields.size === 1;
  return isRefused && (error.param === param || isOnly);
}

/** Whether no field says why the form was refused. */
export const isUnclaimed = (refusal: Refusal): boolean =>
  refusal.error !== undefined && ![...refusal.fields].some((field) => claims(refusal, field));

/** Drops the further clicks of a double-click on a submit button. */
export function dropRepeated(event: Event & { detail?: unknown }): void {
  if (isRepeated(event)) event.preventDefault();
}
