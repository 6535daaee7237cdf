import { serveStdio } from "@modelcontextprotocol/server/stdio";
import packageJson from "../../../package.json" with { type: "json" };
import { type Client, connectTo } from "../../client/http.ts";
import { resolveConfig } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { SandboxError, unreachable } from "../../errors/errors.ts";
import { createMcpServer } from "../../mcp/server.ts";
import type { CheckRequest } from "../../mcp/tool.ts";
import { readHttpUrl } from "../../runtime/http-url.ts";
import { loadOnce } from "../../runtime/load-once.ts";
import { recordRunning } from "../../runtime/running-here.ts";
import type { Served } from "../../server/serve.ts";
import { wallNow } from "../../world/clock.ts";
import type { Invocation } from "../command.ts";
import { note } from "../output.ts";
import { chosenAddress } from "../server.ts";
import { applyFlags, readFlags, type StartOptions } from "../start/flags.ts";
import { stopRequested } from "../stop.ts";

interface McpOptions
  extends Pick<StartOptions, "seed" | "startAt" | "from" | "paused" | "rate" | "rateLimit" | "config"> {
  url?: string;
}

/**
 * `sandglass mcp`: the sandbox as tools for a coding agent, over standard input and output. Standard output belongs to the
 * protocol, so everything else is printed to standard error.
 */
export async function run({ options }: Invocation<McpOptions>): Promise<number> {
  const stopped = stopRequested({ orOutputEnds: true });
  const { server, close } = createAgentServer(options);
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve;
    // A client that disconnects before its first message only ends its own connection.
    for (const end of ["end", "close"]) process.stdin.once(end, resolve);
  });
  const stdio = serveStdio(() => server, { onerror: ({ message }) => note(message) });
  await Promise.race([stopped, closed]);
  await stdio.close();
  await close();
  return 0;
}

/** A server for one agent, over any transport. `close` also stops the sandbox if this server started it. */
export function createAgentServer(options: McpOptions) {
  const { open, close } = createSandboxes(options);
  const server = createMcpServer({ sandbox: open, check: checkHandler }, packageJson.version);
  return { server, close };
}

/** Finds the sandbox that is running here, or starts one that ends with this process. */
function createSandboxes(options: McpOptions) {
  let unrecord = () => {};
  const started = loadOnce(async (): Promise<Served> => {
    const now = wallNow();
    const { config, file } = await loadConfig(options.config);
    const flags = readFlags(options);
    const settings = applyFlags(resolveConfig(config, now, file, flags), flags);
    const { serve } = await import("../../server/serve.ts");
    let configured = true;
    const served = await serve(settings).catch((error: unknown) => {
      if (!(error instanceof SandboxError) || error.code !== "port_taken") throw error;
      // The agent gets the URL from `status`, so any port is fine.
      configured = false;
      return serve({ ...settings, port: 0, ports: {} });
    });
    unrecord = recordRunning({ url: served.sandbox.ownUrl(), configured, ca: settings.https?.ca });
    note(`Started a sandbox at ${served.url}`);
    return served;
  });

  return {
    async open(): Promise<Client> {
      const running = started.started ? undefined : await findRunning(options.url);
      return running ?? connectTo({ url: (await started.get()).url }, "command");
    },
    async close(): Promise<void> {
      unrecord();
      await (await started.started?.catch(() => undefined))?.close();
    },
  };
}

/** How long to wait for a sandbox at the default URL before starting one. A URL given by the user gets more time. */
const PROBE_MS = 1_000;

/**
 * The running sandbox; undefined if nothing runs where `start` would serve.
 * @throws SandboxError `unreachable` if nothing responds at a given URL
 */
async function findRunning(option: string | undefined): Promise<Client | undefined> {
  const named = option ?? process.env.SANDGLASS_URL;
  try {
    const client = connectTo(await chosenAddress(option), "command");
    await client.status(named ? undefined : PROBE_MS);
    return client;
  } catch (error) {
    if (!named) return undefined;
    if (!(error instanceof SandboxError) || error.code !== "unreachable") throw error;
    throw unreachable(
      `No sandbox is running at ${named.split("#")[0]}.`,
      "Start it there, or omit --url and SANDGLASS_URL to start one automatically.",
    );
  }
}

async function checkHandler({ url, only, ...request }: CheckRequest) {
  const [{ checkReachable }, { checkSubscriber }, { checkPlan }, { confirmDatabase }, { readSubject }] =
    await Promise.all([
      import("../../webhooks/endpoint-url.ts"),
      import("../../trial/check/check.ts"),
      import("../check/plan.ts"),
      import("../trial/confirm-database.ts"),
      import("../trial/subject.ts"),
    ]);
  const flags = { ...request, ...(only !== undefined && { only: only.join(",") }) };
  const facts = await readSubject("check", url, flags);
  // This command does not start the server.
  await confirmDatabase({ ...facts, start: undefined });
  const plan = await checkPlan(facts, flags, wallNow());
  const { webhooks } = facts.settings;
  checkReachable("url", plan.url, webhooks);
  // Agents may not specify commands or files.
  if (request.state !== undefined) checkReachable("state", readHttpUrl(request.state, "state"), webhooks);
  return checkSubscriber(plan);
}
