import { mainContextLoader } from "./client/main-context.ts";
import type { RemoteSandbox } from "./client/sandbox.ts";
import { resolveConfig, type SandglassConfig } from "./config.ts";
import { SandboxError } from "./errors.ts";
import { wallNow } from "./world/clock.ts";

/**
 * A sandbox in this process, with everything that `sandbox.config.ts` can say. Two things differ, as tests want them:
 * a free port is picked unless one is named, and the clock stands still unless it is told to run.
 * @returns its surface; `await using` or `close()` ends it, and leaves nothing open
 * @throws SandboxError `invalid_config`, `port_taken`, `invalid_state`
 */
export async function createSandbox(config: SandglassConfig = {}): Promise<RemoteSandbox> {
  // Loaded when a sandbox is made: a configuration that imports `defineConfig` from here waits for none of it.
  const [served, { openRemote }, { untouchedHttp }] = await Promise.all([
    start(config),
    import("./client/sandbox.ts"),
    import("./client/untouched-http.ts"),
  ]);
  const http = await untouchedHttp();
  const close = async () => {
    await Promise.all([http.close(), served.close()]);
  };
  return openRemote({ url: served.url, send: http.send, close: once(close) });
}

interface Started {
  url: string;
  close(): Promise<void>;
}

/** Starts the server, out of reach of what a test runner does to the globals of a test file. */
async function start(config: SandglassConfig): Promise<Started> {
  const settings = resolveConfig(
    {
      port: 0,
      ...config,
      clock: { ...(config.clock?.rate === undefined ? { mode: "paused" } : {}), ...config.clock },
    },
    wallNow(),
    "createSandbox",
  );
  const load = mainContextLoader();
  if (load === undefined) return (await import("./serve.ts")).serve(settings);
  try {
    const outside = await load<{ createSandbox: typeof createSandbox }>("sandglass");
    return await outside.createSandbox(config);
  } catch (error) {
    throw asOurs(error);
  }
}

/** An error from the other context, as one whose class the test file knows. */
function asOurs(error: unknown): unknown {
  const { name, code, message, hint } = error as SandboxError;
  return name === SandboxError.name ? new SandboxError(code, message, hint) : error;
}

/** Ends a thing however often it is asked to. */
function once(end: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined;
  return () => {
    ended ??= end();
    return ended;
  };
}
