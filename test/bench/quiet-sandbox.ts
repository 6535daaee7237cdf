import { resolveConfig } from "../../src/config/config.ts";
import type { SandglassConfig } from "../../src/library/config.ts";
import { serve } from "../../src/server/serve.ts";

/** A sandbox in this process without fixtures and limits, whose clock is paused. */
export const quietSandbox = (config: SandglassConfig = {}) =>
  serve(
    resolveConfig(
      { port: 0, seed: "empty", clock: { mode: "paused" }, payments: { rateLimit: "off" }, ...config },
      0,
    ),
  );
