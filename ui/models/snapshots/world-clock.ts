import { toMs } from "../format.ts";
import type { World } from "./api.ts";

/**
 * What another world's clock shows now, as far as it is known: it goes on at its rate from when it was read.
 * @param since real milliseconds since it was read
 */
export function worldNow({ clock: { mode, rate, now } }: World, since: number): number {
  return toMs(now) + (mode === "paused" ? 0 : since * rate);
}

/** `paused`, `live`, `60 times real time`. */
export function modeWords({ clock: { mode, rate } }: World): string {
  return mode === "scaled" ? `${rate} times real time` : mode;
}
