import { type ReadonlySignal, useSignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";

export interface Sending {
  /** Whether a request is in progress. */
  busy: ReadonlySignal<boolean>;
  /** Sends the request, unless one is in progress or this is the second click of a double-click. */
  send(event?: { detail?: unknown }): Promise<void>;
}

/**
 * The second click of a double-click may come after the response to the first one, so `busy` alone cannot catch it.
 */
const isRepeated = (event?: { detail?: unknown }): boolean => Number(event?.detail ?? 0) > 1;

/** Guards a button or form: it sends only one request at a time, and only one per double-click. */
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

/** Runs `work` and exposes the latest error. The next success clears it. */
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

/** The state of the form that a submit button belongs to. */
export const useFormSending = (): Sending | undefined => useContext(FormSending);

/** The form's error, and the fields that show errors about themselves. */
export interface Refusal {
  error: (Error & { hint?: string; param?: string | undefined; status?: number }) | undefined;
  fields: Set<string>;
}

const FormRefusal = createContext<Refusal | undefined>(undefined);
export const FormRefusalProvider = FormRefusal.Provider;

/**
 * The error for a field, by the name of its API parameter; undefined if the form's error is about something else. In a
 * form with one field, every error is about that field.
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

/** Whether no field explains why the form was rejected. */
export const isUnclaimed = (refusal: Refusal): boolean =>
  refusal.error !== undefined && ![...refusal.fields].some((field) => claims(refusal, field));

/** Ignores a submit that was caused by the second click of a double-click. */
export function dropRepeated(event: Event & { detail?: unknown }): void {
  if (isRepeated(event)) event.preventDefault();
}
