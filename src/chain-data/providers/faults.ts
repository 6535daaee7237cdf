import { wallSleep } from "../../world/clock.ts";
import type { FaultPlan } from "../../world/faults.ts";
import { UpstreamFailure } from "./provider.ts";
import type { ReplayAnswer } from "./replay.ts";

export const PROVIDER_STATES = ["up", "down", "slow", "error", "garbage"] as const;
export type ProviderState = (typeof PROVIDER_STATES)[number];

/** How a provider is made to fail. See docs/guide/chain-data.md, "A provider's outage". */
export interface ProviderFault extends FaultPlan {
  state: Exclude<ProviderState, "up">;
  /** The status of an `error`; 503 by default. */
  status?: number;
  /** Real milliseconds that a `slow` provider takes. */
  latency?: number;
}

export const providerTarget = (name: string): string => `provider:${name}`;

/** How long a slow provider takes by default. */
export const DEFAULT_LATENCY = 30_000;
/** The status of a provider in error by default. */
export const DEFAULT_STATUS = 503;

/**
 * Applies a fault instead of a call. A latency that no client would wait for costs no real time.
 * @returns what the provider answers; undefined when the call goes on
 * @throws UpstreamFailure
 */
export async function playFault(fault: ProviderFault, timeout: number): Promise<ReplayAnswer | undefined> {
  switch (fault.state) {
    case "down":
      throw new UpstreamFailure("connection_refused", "The provider was taken down.");
    case "error":
      return {
        status: fault.status ?? DEFAULT_STATUS,
        body: '{"message":"A fault was set on this provider"}',
      };
    case "garbage":
      return { status: 200, body: "<!doctype html><title>Not what you asked for</title>" };
    case "slow": {
      const latency = fault.latency ?? DEFAULT_LATENCY;
      if (latency >= timeout) throw new UpstreamFailure("timeout", `No answer within ${timeout} ms.`);
      await wallSleep(latency);
      return undefined;
    }
  }
}
