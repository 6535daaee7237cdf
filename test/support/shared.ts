import { afterAll, beforeAll } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import type { SandglassConfig } from "../../src/library/config.ts";
import { type Served, serve } from "../../src/server/serve.ts";
import { clientOf } from "./sandbox.ts";

/** A sandbox that all tests of a file share. */
export type SharedSandbox = ReturnType<typeof clientOf>;

/**
 * Starts one sandbox for all tests of a file, with the empty seed, a paused clock and no rate limit, patient
 * with slow machines. Its tests make the data they look at. If one moves the clock, those that need its
 * start come before.
 */
export function sharedSandbox(config: SandglassConfig = {}): SharedSandbox {
  let served: Served | undefined;
  const client = {} as SharedSandbox;
  beforeAll(async () => {
    served = await serve(
      resolveConfig(
        {
          port: 0,
          seed: "empty",
          settleTimeout: "20s",
          ...config,
          clock: { mode: "paused", ...config.clock },
          payments: { rateLimit: "off", ...config.payments },
        },
        0,
      ),
    );
    Object.assign(client, clientOf(served.url));
  });
  afterAll(() => served?.close());
  return client;
}
