import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Settings } from "./config.ts";
import { guardControl } from "./control/guard.ts";
import { createLiveSockets } from "./control/live.ts";
import { controlRoutes, readTypes } from "./control/routes.ts";
import { SandboxError } from "./errors.ts";
import { contentSecurityPolicy } from "./http/html.ts";
import { createHttpServer, DEFAULT_WORLD, requestedWorld, sendSandboxError } from "./http/server.ts";
import type { App } from "./http/types.ts";
import { platformRoutes } from "./payments/index.ts";
import { PLATFORM } from "./payments/name.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";

/** A running sandbox: one process's server with its world. */
export interface Served {
  /** Where it answers, without a trailing slash. */
  url: string;
  sandbox: Sandbox;
  /** Stops serving and closes the world; what a data folder keeps is kept. */
  close(): Promise<void>;
}

/**
 * Opens the world and serves it: the areas, the control API, the landing and reference pages.
 * @throws SandboxError `port_taken`, `invalid_state`
 */
export async function serve(settings: Settings): Promise<Served> {
  const app = createHttpServer();
  const sockets = createLiveSockets();
  let origin = `http://${shownHost(settings.host)}:${settings.port}`;
  const sandbox = await openSandbox({ name: DEFAULT_WORLD, settings, origin: () => origin });

  const open = (request: FastifyRequest): Sandbox => {
    const name = requestedWorld(request);
    if (name === sandbox.world.name) return sandbox;
    throw new SandboxError(
      "not_found",
      `There is no world '${name.slice(0, 100)}'.`,
      `Worlds: ${sandbox.world.name}.`,
    );
  };

  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof SandboxError) return sendSandboxError(reply, error);
    throw error;
  });
  app.setNotFoundHandler((request, reply) =>
    sendSandboxError(
      reply,
      new SandboxError(
        "not_found",
        `There is nothing at ${request.method} ${request.url.split("?")[0]!.slice(0, 120)}.`,
        `The areas are below /${PLATFORM}, the control API below /_sandbox.`,
      ),
    ),
  );
  await app.register(
    async (scope) => {
      recordCalls(scope as unknown as App, PLATFORM, open);
      await platformRoutes(scope as unknown as App, { open: (request) => open(request).payments });
    },
    { prefix: `/${PLATFORM}` },
  );
  await app.register(
    async (scope) => controlRoutes(scope as unknown as App, { open, allowedHosts: settings.allowedHosts }),
    { prefix: "/_sandbox" },
  );
  pages(app, open);

  const extra: Server[] = [];
  try {
    await listen(() => app.listen({ port: settings.port, host: settings.host }), settings.port);
    origin = `http://${shownHost(settings.host)}:${(app.server.address() as AddressInfo).port}`;
    if (settings.ports.platform !== undefined)
      extra.push(await serveArea(app, PLATFORM, settings.ports.platform, settings.host));
  } catch (error) {
    await app.close();
    sandbox.close();
    throw error;
  }
  app.server.on(
    "upgrade",
    (request: IncomingMessage, socket: Duplex, head: Buffer) => void upgrade(request, socket, head),
  );

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const url = new URL(request.url ?? "/", origin);
    const path = url.pathname.replace(/^\/w\/[^/]+/, "");
    try {
      guardControl(
        { socket: request.socket, headers: request.headers } as FastifyRequest,
        settings.allowedHosts,
      );
      if (path !== "/_sandbox/live")
        throw new SandboxError("not_found", "Only /_sandbox/live is a WebSocket.");
      const after = url.searchParams.get("after");
      const query = {
        after: after !== null && /^\d{1,15}$/.test(after) ? Number(after) : undefined,
        types: readTypes(url.searchParams.get("types") ?? undefined),
      };
      await sockets.accept(sandbox, query, request, socket, head);
    } catch (error) {
      const status = error instanceof SandboxError ? error.status : 400;
      socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\n\r\n`);
    }
  }

  sandbox.start();
  return {
    url: origin,
    sandbox,
    async close() {
      sockets.close();
      for (const server of extra) {
        server.closeAllConnections();
        server.close();
      }
      await app.close();
      sandbox.close();
    },
  };
}

/** Keeps each call of an area in its world's request log. */
function recordCalls(app: App, area: string, open: (request: FastifyRequest) => Sandbox): void {
  app.decorateRequest("answerText", null);
  app.addHook("onSend", async (request, _reply, payload) => {
    if (typeof payload === "string") request.answerText = payload;
    return payload;
  });
  app.addHook("onResponse", async (request, reply) => {
    open(request).requests.add(area, request, reply, request.answerText);
  });
}

declare module "fastify" {
  interface FastifyRequest {
    /** What was answered, as text. */
    answerText: string | null;
  }
}

/** The landing page, and for each contract its document and reference page. */
function pages(app: App, open: (request: FastifyRequest) => Sandbox): void {
  const contracts = () => import("./contracts.ts");
  const html = (reply: FastifyReply, text: string) =>
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", contentSecurityPolicy)
      .header("cache-control", "no-store")
      .send(text);

  app.get("/", async (request, reply) => {
    const { landingView } = await import("./landing.ts");
    const { renderLanding } = await import("./http/landing.ts");
    return html(reply, renderLanding(landingView(open(request))));
  });
  for (const [name, base] of [
    ["platform", `/${PLATFORM}`],
    ["control", "/_sandbox"],
  ] as const) {
    app.get(`${base}/openapi.json`, async (request) =>
      (await contracts()).openApiDocument(name, open(request).status().url),
    );
    app.get(`${base}/reference`, async (request, reply) => {
      const { renderReference } = await import("./http/reference.ts");
      const { url } = open(request).status();
      const document = await (await contracts()).openApiDocument(name, url);
      return html(
        reply,
        renderReference(document as unknown as Parameters<typeof renderReference>[0], {
          specUrl: `${base}/openapi.json`,
        }),
      );
    });
  }
}

async function listen(start: () => Promise<unknown>, port: number): Promise<void> {
  try {
    await start();
  } catch (error) {
    throw portError(error as NodeJS.ErrnoException, port);
  }
}

function portError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === "EADDRINUSE") {
    return new SandboxError(
      "port_taken",
      `Port ${port} is taken by another program.`,
      `Try --port ${port + 1}, or --port 0 for any free one.`,
    );
  }
  if (error.code === "EACCES")
    return new SandboxError(
      "port_taken",
      `Port ${port} may not be used by you.`,
      "Use a port above 1023, for example --port 4400.",
    );
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return new SandboxError(
      "port_taken",
      `This machine has no such address to bind: ${error.message}.`,
      "Use --host 127.0.0.1.",
    );
  return error;
}

/** Serves an area at the root of a port of its own. */
async function serveArea(app: App, area: string, port: number, host: string): Promise<Server> {
  const server = createServer((request, response) => {
    request.url = `/${area}${request.url ?? "/"}`;
    app.server.emit("request", request, response);
  });
  await listen(
    () => new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve)),
    port,
  );
  return server;
}

function shownHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
