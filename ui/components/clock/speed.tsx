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
