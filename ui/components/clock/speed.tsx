import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { RATES } from "../../models/advances.ts";
import { number } from "../../models/format.ts";
import { useApp } from "../context.ts";

/** How fast the clock runs. */
export function Speed() {
  const { clock, toasts } = useApp();
  const { rate } = clock.state.value;
  const rates = RATES.includes(rate) ? RATES : [...RATES, rate].sort((a, b) => a - b);
  return (
    <label class="spread rate">
      Speed
      <select
        value={String(rate)}
        onChange={({ currentTarget }) => {
          void toasts.attempt(() => clock.setRate(Number(currentTarget.value)));
        }}
      >
        {rates.map((value) => (
          <option key={value} value={String(value)}>
            ×{number(value)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The machine's own time; it only serves to compare. */
export function RealTime() {
  const real = useSignal(new Date());
  useEffect(() => {
    const timer = setInterval(() => (real.value = new Date()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const text = useComputed(() => real.value.toLocaleTimeString("en-GB"));
  return <span class="real">real time {text}</span>;
}
