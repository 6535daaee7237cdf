import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useSending } from "./sending.ts";

/** What a field shows, and where its changes go: a signal for both, or each by itself. */
type Bound<Value, Handler extends string> =
  | ({ of: Signal<Value>; value?: never } & { [Name in Handler]?: never })
  | ({ of?: never; value: Value } & { [Name in Handler]: (value: Value) => void });

function bound<Value>(
  of: Signal<Value> | undefined,
  value: Value | undefined,
  onChange: ((value: Value) => void) | undefined,
): [value: Value, change: (value: Value) => void] {
  if (!of) return [value!, onChange!];
  return [
    of.value,
    (next) => {
      of.value = next;
    },
  ];
}

interface FieldLook {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  type?: "text" | "search" | "email" | "number" | "datetime-local";
  placeholder?: string;
  width?: string;
  list?: string[];
  name?: string;
}

type FieldProps = FieldLook & Bound<string, "onInput">;

/** A line of text to fill in, with its hint and its error below it. */
export function Field({
  label,
  of,
  value,
  onInput,
  hint,
  error,
  type = "text",
  width,
  list,
  ...rest
}: FieldProps) {
  const id = useId();
  const [shown, change] = bound(of, value, onInput);
  return (
    <div class="field" style={width ? { maxWidth: width } : undefined}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={shown}
        onInput={({ currentTarget }) => change(currentTarget.value)}
        aria-invalid={error ? "true" : undefined}
        aria-describedby={hint || error ? `${id}-hint` : undefined}
        list={list ? `${id}-list` : undefined}
        autocomplete="off"
        spellcheck={false}
        {...rest}
      />
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((item) => (
            <option key={item} value={item} />
          ))}
        </datalist>
      )}
      {(error || hint) && (
        <p id={`${id}-hint`} class={error ? "field-error" : "note"}>
          {error || hint}
        </p>
      )}
    </div>
  );
}

type AreaProps = Pick<FieldLook, "label" | "hint" | "error"> & { rows: number } & Bound<string, "onInput">;

/** Several lines to fill in. */
export function Area({ label, of, value, onInput, hint, error, rows }: AreaProps) {
  const id = useId();
  const [shown, change] = bound(of, value, onInput);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        value={shown}
        onInput={({ currentTarget }) => change(currentTarget.value)}
        aria-invalid={error ? "true" : undefined}
        aria-describedby={hint || error ? `${id}-hint` : undefined}
        spellcheck={false}
      />
      {(error || hint) && (
        <p id={`${id}-hint`} class={error ? "field-error" : "note"}>
          {error || hint}
        </p>
      )}
    </div>
  );
}

type SelectProps<Value extends string> = {
  label: string;
  options: readonly (readonly [value: Value, name: string])[];
  hideLabel?: boolean;
} & Bound<Value, "onChange">;

export function Select<Value extends string>({
  label,
  of,
  value,
  options,
  onChange,
  hideLabel,
}: SelectProps<Value>) {
  const id = useId();
  const [shown, change] = bound(of, value, onChange);
  return (
    <div class="field">
      <label for={id} class={hideLabel ? "vh" : undefined}>
        {label}
      </label>
      <select id={id} value={shown} onChange={({ currentTarget }) => change(currentTarget.value as Value)}>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A few things of which one is chosen, side by side. */
export function Choice<Value extends string>({ label, of, value, options, onChange }: SelectProps<Value>) {
  const name = useId();
  const [shown, change] = bound(of, value, onChange);
  return (
    <fieldset class="choice">
      <legend class="vh">{label}</legend>
      {options.map(([option, text]) => (
        <label key={option} class="choice-one">
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === shown}
            onChange={() => change(option)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function Switch({
  label,
  on,
  onChange,
}: {
  label: string;
  on: boolean;
  onChange: (on: boolean) => Promise<void>;
}) {
  const { busy, send } = useSending(() => onChange(!on));
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={on}
      aria-busy={busy.value || undefined}
      onClick={send}
    >
      <span class="switch-track" aria-hidden="true">
        <span class="switch-knob" />
      </span>
      {label}
    </button>
  );
}
