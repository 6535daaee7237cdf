import { count } from "./format.ts";

export type HowOften = "always" | "times" | "rate";

export const OFTEN: readonly (readonly [HowOften, string])[] = [
  ["always", "each time"],
  ["times", "a number of times"],
  ["rate", "by chance"],
];

/** How often a fault hits, as a form holds it. */
export interface OftenDraft {
  often: HowOften;
  times: string;
  /** In percent. */
  rate: string;
}

export const OFTEN_DRAFT: OftenDraft = { often: "always", times: "2", rate: "50" };

/** A fault's own figures. */
export interface Often {
  times?: number | null | undefined;
  rate?: number | null | undefined;
}

/** The draft that shows how often a fault hits. */
export function oftenDraft({ times, rate }: Often): OftenDraft {
  return {
    often: times != null ? "times" : rate != null ? "rate" : "always",
    times: times == null ? OFTEN_DRAFT.times : String(times),
    rate: rate == null ? OFTEN_DRAFT.rate : String(Math.round(rate * 100)),
  };
}

/** How often a fault is to hit. */
export const readOften = ({ often, times, rate }: OftenDraft): { times?: number; rate?: number } =>
  often === "times" ? { times: Number(times) } : often === "rate" ? { rate: Number(rate) / 100 } : {};

/** `, 2 times`, `, 50% of the time`; nothing for each time. */
export function oftenWords({ times, rate }: Often): string {
  if (times != null) return `, ${count(times, "time")}`;
  return rate == null ? "" : `, ${Math.round(rate * 100)}% of the time`;
}
