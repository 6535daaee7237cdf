import { resolveConfig } from "../config/config.ts";
import { invalidConfig } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import type { SandglassConfig } from "../library/config.ts";
import type { Sandbox } from "../library/index.ts";
import { loadOnce } from "../runtime/load-once.ts";
import { ROUTES, type RouteName } from "../server/route-names.ts";
import type { Served } from "../server/serve.ts";
import { wallNow } from "../world/clock.ts";
import { inMainContext } from "./in-main-context.ts";

/**
 * Options for `createSandbox`.
 * @example
 * const options: CreateSandboxOptions = { port: false, seed: "empty" };
 */
export interface CreateSandboxOptions extends Omit<SandglassConfig, "port"> {
  /** The port. The default 0 picks a free one. With `false`, only this process can reach the sandbox. */
  port?: number | false;
  /**
   * Which calls to real hosts, made by this process, the sandbox responds to until it is closed: `senders` covers its
   * senders' APIs, and `services` also covers known services and mail servers. The newest world responds. Default:
   * none.
   */
  route?: "senders" | "services";
}

/**
 * Starts a sandbox in this process, with any settings that `sandbox.config.ts` supports. Two defaults suit tests: it picks
 * a free port, and its clock is paused.
 *
 * With `port: false` there is no port. The sandbox's URL is `http://sandglass.localhost`, which only the returned object
 * and the sandbox's own inboxes can reach, through a socket in the temporary folder (`socketPath`); browsers and `fetch`
 * cannot. Webhooks are still sent to real servers on ports.
 * @example
 * await using sandbox = await createSandbox({ webhooks: { retryDelays: ["5s", "1m"] } });
 * await sandbox.payments.pay("coffee");
 * @returns the sandbox; close it with `await using` or `close()`, which leaves nothing open
 * @throws SandboxError `invalid_config`, `port_taken`, `invalid_state`
 */
export async function createSandbox(config: CreateSandboxOptions = {}): Promise<Sandbox> {
  // Load this on first use, so that importing `defineConfig` in a configuration stays fast.
  const [served, { openRemote }, { untouchedHttp }] = await Promise.all([
    start(config),
    import("../client/sandbox.ts"),
    import("../client/untouched-http.ts"),
  ]);
  const { url, shareLink, socketPath } = served;
  const http = await untouchedHttp(url, socketPath);
  const closed = loadOnce(async () => {
    await Promise.all([http.close(), served.close()]);
  });
  return openRemote({ url, shareLink, socketPath, send: http.send, close: closed.get });
}

type Started = Pick<Served, "url" | "shareLink" | "socketPath" | "close">;

/** Starts the server, isolated from a test runner's changes to the globals of a test file. */
async function start(config: CreateSandboxOptions): Promise<Started> {
  if (typeof config !== "object" || config === null || Array.isArray(config))
    throw invalidConfig(
      `createSandbox expects an object of options, not ${shownValue(config)}.`,
      'For example: createSandbox({ seed: "empty" }).',
    );
  const { port = 0, route, ...rest } = config;
  if (route !== undefined && !ROUTES.includes(route))
    throw invalidConfig(
      `createSandbox: route must be ${ROUTES.join(" or ")}, not ${shownValue(route)}.`,
      'For example: createSandbox({ senders: ["stripe"], route: "senders" }).',
    );
  const socket = port === false;
  if (
    socket &&
    (config.host !== undefined || config.share || config.https || Object.keys(config.ports ?? {}).length > 0)
  )
    throw invalidConfig(
      "createSandbox: host, share, https and ports must be left out with port: false, because it does not listen on an address.",
      "Remove them, or remove port: false.",
    );
  const settings = resolveConfig(
    {
      ...rest,
      port: socket ? 0 : port,
      clock: { ...(config.clock?.rate === undefined ? { mode: "paused" } : {}), ...config.clock },
    },
    wallNow(),
    "createSandbox",
  );
  return inMainContext<CreateSandboxOptions, Started>("createSandbox", config, async () => {
    const served = await (await import("../server/serve.ts")).serve(settings, { socket });
    return route === undefined ? served : routed(served, route);
  });
}

/** Routes this process's calls to a sandbox until it is closed. */
async function routed(served: Served, route: RouteName): Promise<Started> {
  const { openRoute } = await import("../server/route.ts");
  const opened = await openRoute(served, { route, mailEnv: [] });
  return {
    ...served,
    async close() {
      await opened?.close();
      await served.close();
    },
  };
}
