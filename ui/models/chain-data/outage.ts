import { MOST_TIMES, type OftenDraft, oftenDraft, oftenWords, wholeNumber } from "../how-often.ts";
import type { Provider, ProviderChange } from "./api.ts";

export const STATES = [
  ["up", "up"],
  ["down", "down"],
  ["slow", "slow"],
  ["error", "error"],
  ["garbage", "garbage"],
] as const;

export type ProviderState = ProviderChange["state"];

/** What a state makes of the provider. */
export function stateWords(provider: Provider): string {
  return provider.state === "up" ? "answers" : wordsOf(provider) + oftenWords(provider);
}

function wordsOf({ state, status, latency }: Provider): string {
  switch (state) {
    case "down":
      return "refuses connections";
    case "slow":
      return `takes ${(latency ?? 0) / 1_000} s`;
    case "error":
      return `answers ${status}`;
    default:
      return "answers something that is not JSON";
  }
}

/** The change that brings a provider back to how it is now. */
export function changeBackTo({ state, status, latency, times, rate }: Provider): ProviderChange {
  return {
    state: state as ProviderState,
    ...(state === "error" && status !== null ? { status } : {}),
    ...(state === "slow" && latency !== null ? { latency } : {}),
    ...(times == null ? {} : { times }),
    ...(rate == null ? {} : { rate }),
  };
}

/** How a provider fails, as a form holds it. */
export interface OutageDraft extends OftenDraft {
  /** A status for an error, a duration for a slow one. */
  detail: string;
}

export type OutageProblem = Partial<Record<keyof OutageDraft, string>>;

export function outageDraft(provider: Provider): OutageDraft {
  const { state, status, latency } = provider;
  return {
    detail: state === "error" ? String(status) : `${(latency ?? 0) / 1_000}s`,
    ...oftenDraft(provider),
  };
}

/** The change that a draft stands for, or what is wrong with it. */
export function readOutage(
  state: ProviderState,
  { detail, often, times, rate }: OutageDraft,
): { change: ProviderChange } | { problem: OutageProblem } {
  const read = readDetail(state, detail);
  if ("problem" in read) return { problem: { detail: read.problem } };
  if (often === "always") return { change: read };
  const most = often === "times" ? MOST_TIMES : 100;
  const least = often === "times" ? 1 : 0;
  const value = wholeNumber(often === "times" ? times : rate, least, most);
  if (value === undefined) return { problem: { [often]: `A whole number from ${least} to ${most}.` } };
  return { change: { ...read, ...(often === "times" ? { times: value } : { rate: value / 100 }) } };
}

/** The detail of a state as a person writes it: a status for an error, a duration for a slow one. */
export function readDetail(state: ProviderState, text: string): ProviderChange | { problem: string } {
  const value = text.trim();
  if (state !== "error" && state !== "slow") return { state };
  if (state === "error") {
    const status = wholeNumber(value, 400, 599);
    return status === undefined ? { problem: "A status from 400 to 599." } : { state, status };
  }
  if (/^\d+(\.\d+)?(ms|s|m)?$/.test(value))
    return { state, latency: /^\d+(\.\d+)?$/.test(value) ? `${value}s` : value };
  return { problem: "Seconds, or for example 800ms." };
}
