import type { UpstreamCall } from "./ask.ts";

/** What came of going through the providers. Without `found` and `refusal` nobody could say anything. */
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
