import { MINUTE, SECOND } from "../world/duration.ts";
import type { PaymentsContext } from "./context.ts";
import { PlatformError } from "./errors.ts";

/** The number of requests per minute allowed from each address without a key. */
export const KEYLESS_RATE_LIMIT = 5;
const WINDOW = MINUTE;

interface Window {
  virtualStart: number;
  wallStart: number;
  count: number;
}

/** Counts requests by key in one-minute windows of virtual or real time, whichever runs faster. */
export interface RateLimit {
  /**
   * Counts a request by `key`.
   * @param most a lower limit than the one for API keys
   * @returns the rate-limit headers of the response; none if the limit is off
   * @throws PlatformError rate_limit_exceeded, with the same headers, Retry-After and a hint
   */
  take(key: string, most?: number): Record<string, string>;
}

export function createRateLimit({ world, settings }: PaymentsContext): RateLimit {
  const { clock, store } = world;
  const windows = store.untilRestore(() => new Map<string, Window>());

  return {
    take(key, most = Number.POSITIVE_INFINITY) {
      if (settings.rateLimit === "off") return {};
      const limit = Math.min(settings.rateLimit, most);
      const now = clock.now();
      const wall = clock.wall();
      let window = windows().get(key);
      const elapsed = window ? Math.max(now - window.virtualStart, wall - window.wallStart) : WINDOW;
      if (!window || elapsed >= WINDOW) {
        window = { virtualStart: now, wallStart: wall, count: 0 };
        windows().set(key, window);
      }
      const left = window.count === 0 ? WINDOW : WINDOW - elapsed;
      const exceeded = window.count >= limit;
      if (!exceeded) window.count += 1;
      const headers = {
        "x-ratelimit-limit": String(limit),
        "x-ratelimit-remaining": String(limit - window.count),
        "x-ratelimit-reset": String(Math.ceil((now + left) / SECOND)),
      };
      if (!exceeded) return headers;
      const seconds = Math.max(1, Math.ceil(left / SECOND));
      throw new PlatformError(
        "rate_limit_exceeded",
        `Too many requests: ${limit} a minute are allowed. Retry in ${seconds} seconds.`,
        undefined,
        {
          ...headers,
          "retry-after": String(seconds),
          "x-sandbox-hint":
            "Advance the clock, or start with --rate-limit off (payments.rateLimit in sandbox.config.ts).",
        },
      );
    },
  };
}
