import type { ReadonlySignal, Signal } from "@preact/signals";
import { Choice, Field } from "../../components/field.tsx";
import { Button } from "../../components/parts.tsx";
import { number } from "../../models/format.ts";

interface StreamBarProps {
  choice: Signal<string>;
  choices: string[];
  label: string;
  stream: {
    search: Signal<string>;
    paused: ReadonlySignal<boolean>;
    missed: ReadonlySignal<number>;
    toggle: () => void;
  };
}

/** Search, filter and pause of a stream. */
export function StreamBar({ choice, choices, label, stream }: StreamBarProps) {
  const paused = stream.paused.value;
  const missed = stream.missed.value;
  return (
    <div class="filters">
      <Field label="Search" type="search" of={stream.search} placeholder="press / to search" />
      <Button icon={paused ? "play" : "pause"} aria-pressed={paused} onClick={stream.toggle} class="hold">
        {paused ? `Resume feed${missed > 0 ? ` (${number(missed)} new)` : ""}` : "Pause feed"}
      </Button>
      <Choice
        label={label}
        of={choice}
        options={[["", "All"], ...choices.map((name) => [name, name] as [string, string])]}
      />
    </div>
  );
}
