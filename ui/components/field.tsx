import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Binding } from "../models/binding.ts";
import { useRefusal } from "./sending.ts";

interface BelowProps {
  id: string;
  hint?: ComponentChildren;
  error?: string | undefined;
}

/** Shows the error of a field or, without an error, its hint. */
function Below({ id, hint, error }: BelowProps) {
  if (!error && !hint) return null;
  return (
    <p id={`${id}-hint`} class={error ? "field-error" : "note"}>
      {error || hint}
    </p>
  );
}

/** ARIA attributes that connect a field to its hint or error for screen readers. */
const described = ({ id, hint, error }: BelowProps) => ({
  id,
  "aria-invalid": error ? ("true" as const) : undefined,
  "aria-describedby": hint || error ? `${id}-hint` : undefined,
});

interface FieldProps extends Omit<BelowProps, "id"> {
  label: string;
  of: Binding<string>;
  /**
   * The parameter's name in the API. An error about this parameter is shown at the field, and the field takes the
   * focus.
   */
  param?: string;
  type?: "text" | "search" | "number";
  placeholder?: string;
  width?: string;
  min?: number;
  max?: number;
  required?: boolean;
  /** A validation pattern for the browser, and the message to show. */
  pattern?: string;
  title?: string;
  /** The number of visible lines; by default, one. */
  rows?: number | undefined;
}

/** A text field, with its hint or error below. */
export function Field({
  label,
  of,
  hint,
  error: own,
  param,
  type = "text",
  width,
  rows,
  ...rest
}: FieldProps) {
  const id = useId();
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const refusal = useRefusal(param);
  const error = own ?? refusal;
  useEffect(() => {
    // Focus the first field that has an error, unless the user is already in another field.
    if (error !== undefined && !document.activeElement?.matches("input, textarea, select"))
      element.current?.focus();
  }, [error]);
  const input = {
    ref: element,
    ...described({ id, hint, error }),
    value: of.value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => (of.value = currentTarget.value),
    spellcheck: false,
    // Allow an error message to be wider than a short field.
    style: width && error ? { maxWidth: width } : undefined,
    ...rest,
  };
  return (
    <div class="field" style={width && !error ? { maxWidth: width } : undefined}>
      <label for={id}>{label}</label>
      {rows ? (
        <textarea rows={rows} {...input} />
      ) : (
        <input type={type} list={undefined} autocomplete="off" {...input} />
      )}
      <Below id={id} hint={hint} error={error} />
    </div>
  );
}

interface SelectProps<Value extends string> {
  label: string;
  of: Binding<Value>;
  options: readonly (readonly [value: Value, name: string])[];
}

export function Select<Value extends string>({ label, of, options }: SelectProps<Value>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={of.value}
        onChange={({ currentTarget }) => (of.value = currentTarget.value as Value)}
      >
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface CheckProps {
  label: string;
  of: Binding<boolean>;
  hint?: ComponentChildren;
}

export function Check({ label, of, hint }: CheckProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          {...described({ id, hint })}
          checked={of.value}
          onChange={({ currentTarget }) => (of.value = currentTarget.checked)}
        />
        {label}
      </label>
      <Below id={id} hint={hint} />
    </div>
  );
}

export function Choice<Value extends string>({ label, of, options }: SelectProps<Value>) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="vh">{label}</legend>
      {options.map(([option, text]) => (
        <label key={option} class="choice-one">
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === of.value}
            onChange={() => (of.value = option)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
