import { apiFaultTarget, applyApiFault } from "../http/api-faults.ts";
import { openToEveryOrigin } from "../http/cors.ts";
import type { App } from "../http/types.ts";
import { simulatedError } from "./errors.ts";
import { METHOD_HEADER } from "./limits.ts";
import { GAME } from "./name.ts";
import { operationOf, operationPath } from "./operations/index.ts";
import type { ServiceName } from "./operations/operation.ts";
import { activityRoutes } from "./routes/activities.ts";
import { readBodiesAsJson } from "./routes/bodies.ts";
import { operationRoutes } from "./routes/operations.ts";
import { type OpenGame, pathBelow, sendGameError, unknownRoute } from "./routes/support.ts";

const READABLE_HEADERS = ["X-Sandbox-Fault", "Retry-After"];

/** The game launcher over HTTP, below `/game`. */
export async function gameRoutes(app: App, { open }: { open: OpenGame }): Promise<void> {
  app.decorateRequest("game", null as never);
  app.setErrorHandler(sendGameError);
  app.setNotFoundHandler((request, reply) => sendGameError(unknownRoute(request), request, reply));
  // The schemas describe; an operation checks its fields itself, once it knows who calls.
  app.setValidatorCompiler(() => () => true);
  readBodiesAsJson(app);
  openToEveryOrigin(app, READABLE_HEADERS);
  // Hooks with a callback: every call passes through them, and a promise costs more than their work.
  app.addHook("onRequest", (request, _reply, done) => {
    request.game = open(request);
    const { world } = request.game;
    // Before a body is looked at.
    if (request.is404) return done(unknownRoute(request));
    if (!world.faults.get(apiFaultTarget(GAME))) return done();
    const path = pathBelow(request.url);
    const method = request.headers[METHOD_HEADER] as string | undefined;
    applyApiFault(world, GAME, request, path, calledPath(path, method)).then(
      (status) => done(status === undefined ? undefined : simulatedError(status)),
      done,
    );
  });
  operationRoutes(app);
  activityRoutes(app);
}

/** The path of the operation that a call in the FeathersJS form is for, so that a fault's `match` finds it in either. */
function calledPath(path: string, method: string | undefined): string {
  if (path !== "/launcher" && path !== "/scores") return path;
  const service = path.slice(1) as ServiceName;
  return method === undefined ? path : operationPath(service, operationOf(service, method).method);
}
