import { wallSleep } from "../../world/clock.ts";
import type { FaultPlan } from "../../world/faults.ts";
import { UpstreamFailure } from "./provider.ts";
import type { ReplayAnswer } from "./replay.ts";

export const PROVIDER_STATES = ["up", "down", "slow", "error", "garbage"] as const;
export type ProviderState = (typeof PROVIDER_STATES)[number];

/** A simulated provider failure. See docs/guide/chain-data.md, "A provider's outage". */
export interface ProviderFault extends FaultPlan {
  state: Exclude<ProviderState, "up">;
  /** The response status in state `error`; 503 by default. */
  status?: number;
  /** The response time in state `slow`, in real milliseconds. */
  latency?: number;
}

export const providerTarget = (name: string): string => `provider:${name}`;

/** The default response time of a slow provider. */
export const DEFAULT_LATENCY = 30_000;
/** The default status of a provider in state `error`. */
export const DEFAULT_STATUS = 503;

/**
 * Applies a fault before a call. A latency beyond the timeout costs no real time.
 * @returns the simulated response; undefined if the call proceeds normally
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
      if (latency >= timeout) throw new UpstreamFailure("timeout", `No response within ${timeout} ms.`);
      await wallSleep(latency);
      return undefined;
    }
  }
}
