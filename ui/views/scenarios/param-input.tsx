import { useId } from "preact/hooks";
import { Text } from "../../components/parts.tsx";
import type { ParamSpec } from "../../models/scenarios/api.ts";
import { fieldOf } from "../../models/scenarios/params.ts";

interface ParamInputProps {
  name: string;
  spec: ParamSpec;
  text: string;
  problem: string | undefined;
  onText: (text: string) => void;
}

/** A parameter to fill in, as its default says: a text, a number, a box to check, one of a few. */
export function ParamInput({ name, spec, text, problem, onText }: ParamInputProps) {
  const id = useId();
  const field = fieldOf(spec);
  const common = {
    id,
    "aria-invalid": problem ? ("true" as const) : undefined,
    "aria-describedby": problem || spec.description ? `${id}-hint` : undefined,
  };
  const below = (
    <p id={`${id}-hint`} class={problem ? "field-error" : "note"}>
      <Text of={problem ?? spec.description ?? ""} lines={4} />
    </p>
  );
  if (field === "switch")
    return (
      <div class="field">
        <span class="check">
          <input
            type="checkbox"
            {...common}
            checked={text === "true"}
            onChange={({ currentTarget }) => onText(String(currentTarget.checked))}
          />
          <label for={id}>{name}</label>
        </span>
        {below}
      </div>
    );
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {field === "choice" ? (
        <select {...common} value={text} onChange={({ currentTarget }) => onText(currentTarget.value)}>
          {spec.choices?.map((choice) => (
            <option key={choice} value={String(choice)}>
              {String(choice)}
            </option>
          ))}
        </select>
      ) : field === "lines" ? (
        <textarea
          {...common}
          rows={4}
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      ) : (
        <input
          {...common}
          type={field}
          list={undefined}
          step="any"
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
        />
      )}
      {below}
    </div>
  );
}
