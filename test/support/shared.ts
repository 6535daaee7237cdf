import { afterAll, beforeAll } from "vitest";
import type { SandglassConfig } from "../../src/library/config.ts";
import { type Served, serve } from "../../src/server/serve.ts";
import { clientOf, testConfig } from "./sandbox.ts";

/** A sandbox shared by all tests of a file. */
export type SharedSandbox = ReturnType<typeof clientOf>;

/** A sandbox shared by all files of a worker whose tests start with a reset. */
let lasting: Promise<Served> | undefined;

/**
 * Starts one sandbox for all tests of a file, with the empty seed, a paused clock and no rate limit; it waits long
 * enough for slow machines. Tests create the data they need. If a test moves the clock, tests that need the start time
 * must come before it.
 * @param resets whether each test starts with a reset: without a configuration, the files of a worker then share one
 * sandbox
 */
export function sharedSandbox(config: SandglassConfig = {}, resets = false): SharedSandbox {
  const lasts = resets && Object.keys(config).length === 0;
  let served: Served | undefined;
  const client = {} as SharedSandbox;
  const start = () => serve(testConfig(0, config));
  beforeAll(async () => {
    if (lasts) lasting ??= start();
    served = await (lasts ? lasting : start());
    Object.assign(client, clientOf(served!.url));
  });
  afterAll(() => (lasts ? undefined : served?.close()));
  return client;
}
