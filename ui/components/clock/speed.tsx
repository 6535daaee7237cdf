import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { RATES } from "../../models/advances.ts";
import { bind } from "../../models/binding.ts";
import { number } from "../../models/format.ts";
import { useApp } from "../context.ts";
import { Select } from "../field.tsx";

/** How fast the clock runs. */
export function Speed() {
  const { clock, toasts } = useApp();
  const { rate } = clock.state.value;
  const rates = RATES.includes(rate) ? RATES : [...RATES, rate].sort((a, b) => a - b);
  const chosen = bind(String(rate), (next) => void toasts.attempt(() => clock.setRate(Number(next))));
  const options = rates.map((value) => [String(value), `×${number(value)}`] as const);
  return <Select label="Speed" of={chosen} options={options} />;
}

/** The machine's own time; it only serves to compare. */
export function RealTime() {
  const { machine } = useApp();
  const real = useSignal(new Date());
  useEffect(() => machine.every(1_000, () => (real.value = new Date())), []);
  return <span class="real">real time {real.value.toLocaleTimeString("en-GB")}</span>;
}
