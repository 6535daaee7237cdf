import { afterAll, beforeAll } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import type { SandglassConfig } from "../../src/library/config.ts";
import { type Served, serve } from "../../src/server/serve.ts";
import { clientOf } from "./sandbox.ts";

/** A sandbox that all tests of a file share. */
export type SharedSandbox = ReturnType<typeof clientOf>;

/** The sandbox of all files of a worker whose tests begin with a reset. */
let lasting: Promise<Served> | undefined;

/**
 * Starts one sandbox for all tests of a file, with the empty seed, a paused clock and no rate limit, patient
 * with slow machines. Its tests make the data they look at. If one moves the clock, those that need its
 * start come before.
 * @param resets whether each test begins with a reset: without a configuration, the files of a worker then share one
 */
export function sharedSandbox(config: SandglassConfig = {}, resets = false): SharedSandbox {
  const lasts = resets && Object.keys(config).length === 0;
  let served: Served | undefined;
  const client = {} as SharedSandbox;
  const start = () =>
    serve(
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
  beforeAll(async () => {
    if (lasts) lasting ??= start();
    served = await (lasts ? lasting : start());
    Object.assign(client, clientOf(served!.url));
  });
  afterAll(() => (lasts ? undefined : served?.close()));
  return client;
}
