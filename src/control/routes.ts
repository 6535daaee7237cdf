import type { FastifyRequest } from "fastify";
import { SandboxError } from "../errors/errors.ts";
import { GAME_ERRORS, GameError } from "../game/errors.ts";
import { explainFrameworkError, sendSandboxError } from "../http/server.ts";
import type { App } from "../http/types.ts";
import { ValidationError } from "../http/validation.ts";
import { violationMessage } from "../http/violation-text.ts";
import { PlatformError } from "../payments/errors.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Worlds } from "../sandbox/worlds.ts";
import type { Scenarios } from "../scenarios/scenarios.ts";
import { dataControlRoutes } from "./data-routes.ts";
import { faultRoutes } from "./fault-routes.ts";
import { gameControlRoutes } from "./game-routes.ts";
import { guardControl } from "./guard.ts";
import { inboxRoutes } from "./inbox.ts";
import { paymentRoutes, webhookRoutes } from "./payment-routes.ts";
import { recordRoutes } from "./record-routes.ts";
import { scenarioRoutes } from "./scenario-routes.ts";
import { clockRoutes, worldRoutes } from "./world-routes.ts";
import { snapshotRoutes, snapshotUploadRoute, worldsRoutes } from "./worlds-routes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The sandbox of the world that is controlled. */
    sandbox: Sandbox;
  }
}

export interface ControlOptions {
  /** Finds the sandbox of the world a request is for. */
  open: (request: FastifyRequest) => Sandbox;
  /** The worlds and snapshots of the server. */
  worlds: () => Worlds;
  /** The scenarios of the server, loaded when first asked for. */
  scenarios: () => Promise<Scenarios>;
  /** Host names beside loopback by which it may be called. */
  allowedHosts: readonly string[];
}

/** The control API, below `/_sandbox`. Contract: "Control API". */
export async function controlRoutes(
  app: App,
  { open, worlds, scenarios, allowedHosts }: ControlOptions,
): Promise<void> {
  app.decorateRequest("sandbox", null as never);
  app.addHook("onRequest", async (request) => {
    guardControl(request.raw, allowedHosts);
    request.sandbox = open(request);
  });
  app.setErrorHandler((error, _request, reply) => sendSandboxError(reply, asSandboxError(error)));
  app.setNotFoundHandler((request, reply) =>
    sendSandboxError(
      reply,
      new SandboxError(
        "not_found",
        `There is no control call ${request.method} ${request.url.split("?")[0]}.`,
        "GET /_sandbox/openapi.json lists the calls.",
      ),
    ),
  );
  worldRoutes(app);
  clockRoutes(app);
  paymentRoutes(app);
  webhookRoutes(app);
  faultRoutes(app);
  dataControlRoutes(app);
  gameControlRoutes(app);
  recordRoutes(app);
  worldsRoutes(app, worlds);
  snapshotRoutes(app, worlds);
  scenarioRoutes(app, scenarios);
  await app.register(async (scope) => snapshotUploadRoute(scope as unknown as App, worlds));
  await app.register(async (scope) => inboxRoutes(scope as unknown as App));
}

/** Whatever went wrong, in Sandglass's own form. */
export function asSandboxError(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  if (error instanceof ValidationError)
    return new SandboxError("bad_request", violationMessage(error.violation), {
      // The command line adds how to get the command's help.
      command: "",
      library: "The types of the call show what it takes.",
      http: "GET /_sandbox/openapi.json shows what this call takes.",
    });
  if (error instanceof PlatformError) return new PlatformRefusal(error);
  if (error instanceof GameError) return new GameRefusal(error);
  const known = explainFrameworkError(error);
  if (known?.kind === "content-type")
    return new SandboxError(
      "unsupported_media_type",
      known.message,
      "Add the header content-type: application/json.",
    );
  if (known?.kind === "size") return new SandboxError("payload_too_large", known.message, "Send less.");
  if (known) return new SandboxError("bad_request", known.message, "Send a JSON object.");
  console.error(error);
  return new SandboxError(
    "internal",
    "An unexpected error occurred in the sandbox; its log has the details.",
    "Please report it.",
  );
}

/** The platform's own refusal, with its code and status. */
class PlatformRefusal extends SandboxError {
  readonly #status: number;
  constructor(error: PlatformError) {
    super(error.code as never, error.message, refusalHint(error));
    this.#status = error.status;
  }
  override get status(): number {
    return this.#status;
  }
}

function refusalHint({ code, param }: PlatformError): string {
  if (param !== undefined) return `The field at fault is ${param}.`;
  return code.startsWith("key_") ? "GET /_sandbox/status shows the keys that work here." : "";
}

/** The game launcher's own refusal, with its class as code, and its status. */
class GameRefusal extends SandboxError {
  readonly #status: number;
  constructor(error: GameError) {
    super(GAME_ERRORS[error.name].className.replaceAll("-", "_") as never, error.message);
    this.#status = error.code;
  }
  override get status(): number {
    return this.#status;
  }
}
