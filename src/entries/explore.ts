import type { ExploreOptions, ExploreResult } from "../library/explore.ts";
import { inMainContext } from "./in-main-context.ts";

/**
 * Plays stories against a subscriber with every delivery schedule that the platform can produce, fewest deviations first,
 * until one ends in a different state than the calm run, like `sandglass explore`.
 * @example
 * const { failure } = await explore({
 *   subscriber: (request) => handle(request),
 *   state: () => shop.orders,
 *   reset: () => shop.clear(),
 *   deviations: 2,
 * });
 * expect(failure?.story).toBeUndefined();
 * @throws SandboxError `bad_request`, `not_found` for an unknown story, `unreachable` if the subscriber does
 *   not respond, `invalid_state` if its calm run fails or it is not deterministic
 */
export function explore(options: ExploreOptions): Promise<ExploreResult> {
  return inMainContext("explore", options, async () => {
    // Load this on first use, so that importing the package just for a sandbox stays fast.
    const { exploreFrom } = await import("../trial/schedules/library.ts");
    return exploreFrom(options, async (...given) => (await import("../server/serve.ts")).serve(...given));
  });
}
