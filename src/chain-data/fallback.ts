import type { UpstreamCall } from "./ask.ts";

/** The result of asking the providers. Without `found` and `refusal`, none of them could answer. */
export interface Walk<Found> {
  /** In the order of the plan, whatever the order of arrival. */
  calls: UpstreamCall[];
  /** Who was asked, in that order. */
  asked: string[];
  /** Who has something against the request, and what. */
  refusal?: { provider: string; message: string };
  found?: {
    rows: Found;
    /** Who told it. */
    providers: string[];
    chains: readonly number[];
    /** Whether it is the whole truth, so that it may be kept. */
    whole: boolean;
  };
}

export const once = (names: readonly string[]): string[] => [...new Set(names)];
