import { resolveConfig } from "../../src/config/config.ts";
import { serve } from "../../src/server/serve.ts";

/** A sandbox of this process without fixtures and limits, whose clock stands still. */
export const quietSandbox = () =>
  serve(
    resolveConfig({ port: 0, seed: "empty", clock: { mode: "paused" }, payments: { rateLimit: "off" } }, 0),
  );
