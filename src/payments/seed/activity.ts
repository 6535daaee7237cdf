import { HOUR } from "../../world/duration.ts";
import { between, type Seeding } from "./seeding.ts";

/** How busy the hours of a day (UTC) and the days of a week (Sunday first) are. */
const RHYTHMS = {
  shoppers: {
    hours: [3, 2, 1, 1, 1, 2, 5, 9, 12, 12, 11, 12, 15, 14, 12, 12, 13, 15, 18, 21, 22, 18, 11, 6],
    days: [13, 9, 9, 10, 10, 12, 15],
    /** How much more happens at the end of the period than at its beginning. */
    growth: 1.3,
  },
  staff: {
    hours: [0, 0, 0, 0, 0, 0, 1, 5, 12, 14, 13, 10, 6, 11, 13, 12, 9, 5, 2, 1, 1, 0, 0, 0],
    days: [1, 12, 11, 11, 10, 9, 3],
    growth: 0.2,
  },
} as const;

/**
 * Instants at which people do something: by the hour, by the day of the week, some days better than others,
 * more as time goes on. Always UTC.
 * @returns `count` of them between `from` and `to`, in order
 */
export function instants(
  seeding: Seeding,
  rhythm: keyof typeof RHYTHMS,
  { count, from, to }: { count: number; from: number; to: number },
): number[] {
  const { hours, days, growth } = RHYTHMS[rhythm];
  const slots = Math.max(1, Math.floor((to - from) / HOUR));
  const sums: number[] = [];
  let total = 0;
  let luck = 100;
  for (let slot = 0; slot < slots; slot += 1) {
    const hour = new Date(from + slot * HOUR);
    if (slot % 24 === 0) luck = between(seeding, 70, 130);
    total += hours[hour.getUTCHours()]! * days[hour.getUTCDay()]! * luck * (1 + (growth * slot) / slots);
    sums.push(total);
  }
  const found: number[] = [];
  let slot = 0;
  for (let index = 0; index < count; index += 1) {
    const target = ((index + between(seeding, 0, 9_999) / 10_000) / count) * total;
    while (sums[slot]! <= target) slot += 1;
    found.push(from + slot * HOUR + between(seeding, 0, HOUR - 1));
  }
  return found.sort((a, b) => a - b);
}
