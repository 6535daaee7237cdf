import type { Binding } from "../models/binding.ts";

interface TabButtonsProps<Name extends string> {
  label: string;
  of: Binding<Name>;
  tabs: readonly (readonly [name: Name, title: string])[];
}

/** Parts of which one is shown, where they have no address of their own. */
export function TabButtons<Name extends string>({ label, of, tabs }: TabButtonsProps<Name>) {
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {tabs.map(([name, title]) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={of.value === name}
          onClick={() => (of.value = name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
