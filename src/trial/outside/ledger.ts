import { isDeepStrictEqual } from "node:util";
import type { Effect } from "./services.ts";

/** What a server has changed outside this machine since its last reset. */
export interface Ledger {
  /** Forgets everything, at the beginning of each run. */
  clear(): void;
  /**
   * @returns false if the effect happens at every start, or if its idempotency key shows that it repeats an earlier
   * effect
   */
  add(effect: Effect): boolean;
  readonly effects: readonly Effect[];
}

export function createLedger(): Ledger {
  let effects: Effect[] = [];
  /** What the server does at every start, which is not the effect of an event. */
  let atStart: ReadonlySet<string> | undefined;
  const textOf = ({ service, key, fields }: Effect): string => JSON.stringify([service, key, fields]);
  const isSame = (one: Effect, other: Effect): boolean =>
    one.service === other.service &&
    one.idempotencyKey === other.idempotencyKey &&
    isDeepStrictEqual([one.key, one.fields], [other.key, other.fields]);
  return {
    clear() {
      atStart ??= new Set(effects.map(textOf));
      effects = [];
    },
    add(effect) {
      if (atStart?.has(textOf(effect))) return false;
      if (effect.idempotencyKey !== undefined && effects.some((one) => isSame(one, effect))) return false;
      effects.push(effect);
      return true;
    },
    get effects() {
      return effects;
    },
  };
}
