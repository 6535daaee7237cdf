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
export function stateWords({ state, status, latency }: Provider): string {
  switch (state) {
    case "up":
      return "answers";
    case "down":
      return "refuses connections";
    case "slow":
      return `takes ${(latency ?? 0) / 1_000} s`;
    case "error":
      return `answers ${status}`;
    default:
      return "answers something that is no JSON";
  }
}

/** The change that brings a provider back to how it is now. */
export function changeBackTo({ state, status, latency }: Provider): ProviderChange {
  if (state === "error" && status !== null) return { state, status };
  if (state === "slow" && latency !== null) return { state, latency };
  return { state: state as ProviderState };
}

/** The detail of a state as a person writes it: a status for an error, a duration for a slow one. */
export function readDetail(state: ProviderState, text: string): ProviderChange | { problem: string } {
  const given = text.trim();
  if (state === "error") {
    const status = Number(given);
    if (Number.isInteger(status) && status >= 400 && status <= 599) return { state, status };
    return { problem: "A status from 400 to 599." };
  }
  if (/^\d+(\.\d+)?(ms|s|m)?$/.test(given))
    return { state, latency: /^\d+(\.\d+)?$/.test(given) ? `${given}s` : given };
  return { problem: "Seconds, or for example 800ms." };
}
