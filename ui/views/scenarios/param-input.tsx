import { Check, Field, Select } from "../../components/field.tsx";
import { Text } from "../../components/parts.tsx";
import { type Binding, bind } from "../../models/binding.ts";
import type { ParamSpec } from "../../models/scenarios/api.ts";
import { fieldOf, readParam } from "../../models/scenarios/params.ts";

interface ParamInputProps {
  name: string;
  spec: ParamSpec;
  of: Binding<string>;
}

/** A parameter to fill in, as its default says: a text, a number, a box to check, one of a few. */
export function ParamInput({ name, spec, of }: ParamInputProps) {
  const field = fieldOf(spec);
  const hint = spec.description && <Text of={spec.description} lines={4} />;
  const error = readParam(spec, of.value).problem;
  if (field === "switch") {
    const on = bind(of.value === "true", (next) => (of.value = String(next)));
    return <Check label={name} of={on} hint={hint} />;
  }
  if (field === "choice") {
    const options = spec.choices!.map(String).map((choice) => [choice, choice] as const);
    return <Select label={name} of={of} options={options} hint={hint} error={error} />;
  }
  const shape = field === "lines" ? { rows: 4 } : { type: field, step: "any" as const };
  return <Field label={name} of={of} hint={hint} error={error} {...shape} />;
}
