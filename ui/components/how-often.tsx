import { type Binding, part } from "../models/binding.ts";
import { OFTEN, type OftenDraft } from "../models/how-often.ts";
import { Field, Select } from "./field.tsx";

interface HowOftenProps<Draft extends OftenDraft> {
  of: Binding<Draft>;
  labels: { often: string; times: string; rate: string };
  errorOf?: (field: "times" | "rate") => string | undefined;
}

/** How often a fault hits: each time, so many times, or by chance. */
export function HowOften<Draft extends OftenDraft>({ of, labels, errorOf }: HowOftenProps<Draft>) {
  const { often } = of.value;
  const draft = of as Binding<OftenDraft>;
  return (
    <>
      <Select label={labels.often} of={part(draft, "often")} options={OFTEN} />
      {often !== "always" && (
        <Field
          key={often}
          label={labels[often]}
          of={part(draft, often)}
          type="number"
          min={often === "times" ? 1 : 0}
          max={often === "times" ? 1_000_000 : 100}
          required
          width="6rem"
          error={errorOf?.(often)}
        />
      )}
    </>
  );
}
