import type { Duration } from "../../api-types.ts";
import { type OftenDraft, oftenDraft, oftenWords, readOften } from "../how-often.ts";
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

export function outageDraft(provider: Provider): OutageDraft {
  const { state, status, latency } = provider;
  return {
    detail: state === "error" ? String(status) : `${(latency ?? 0) / 1_000}s`,
    ...oftenDraft(provider),
  };
}

/** The change that a draft stands for. */
export function readOutage(state: ProviderState, draft: OutageDraft): ProviderChange {
  const detail = draft.detail.trim();
  return {
    state,
    ...(state === "error" && { status: Number(detail) }),
    ...(state === "slow" && { latency: (/^[\d.]+$/.test(detail) ? `${detail}s` : detail) as Duration }),
    ...readOften(draft),
  };
}
