import { brief, exactStamp, relative, toMs } from "../models/format.ts";
import { useApp } from "./context.ts";

/** A virtual instant: short, with the whole of it when the pointer rests. */
export function Time({ at, exact = false }: { at: string | number; exact?: boolean }) {
  const { clock } = useApp();
  const ms = typeof at === "string" ? toMs(at) : at;
  const day = Math.floor(clock.second.value / 86_400_000) * 86_400_000;
  return (
    <time class="time" dateTime={new Date(ms).toISOString()} title={`${exactStamp(ms)} UTC, virtual time`}>
      {exact ? exactStamp(ms) : brief(ms, day)}
    </time>
  );
}

/** How far away an instant is: `in 48 s`. It runs with the clock. */
export function Away({ at }: { at: number }) {
  const { clock } = useApp();
  return <span class="away">{relative(at, clock.second.value)}</span>;
}
