import type { RemoteSandbox } from "./client/sandbox.ts";
import { resolveConfig, type SandglassConfig } from "./config.ts";
import { wallNow } from "./world/clock.ts";

/**
 * A sandbox in this process, with everything that `sandbox.config.ts` can say. Two things differ, as tests want them:
 * a free port is picked unless one is named, and the clock stands still unless it is told to run.
 * @returns its surface; `await using` or `close()` ends it, and leaves nothing open
 * @throws SandboxError `invalid_config`, `port_taken`, `invalid_state`
 */
export async function createSandbox(config: SandglassConfig = {}): Promise<RemoteSandbox> {
  const settings = resolveConfig(
    {
      port: 0,
      ...config,
      clock: { ...(config.clock?.rate === undefined ? { mode: "paused" } : {}), ...config.clock },
    },
    wallNow(),
    "createSandbox",
  );
  // Loaded when a sandbox is made: a configuration that imports `defineConfig` from here waits for none of it.
  const [{ serve }, { openRemote }, { untouchedHttp }] = await Promise.all([
    import("./serve.ts"),
    import("./client/sandbox.ts"),
    import("./client/untouched-http.ts"),
  ]);
  const served = await serve(settings);
  const http = untouchedHttp();
  const close = async () => {
    await Promise.all([http.close(), served.close()]);
  };
  return openRemote({ url: served.url, send: http.send, close: once(close) });
}

/** Ends a thing however often it is asked to. */
function once(end: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined;
  return () => {
    ended ??= end();
    return ended;
  };
}
