import { faultHeaders, meetApiFaults } from "../http/api-faults.ts";
import type { AreaDoor } from "../http/area.ts";
import { acceptBodies } from "../http/body.ts";
import { openToPages } from "../http/cors.ts";
import { readJsonObject } from "../http/json-body.ts";
import { addRoutes } from "../http/route-table.ts";
import type { App } from "../http/types.ts";
import { hintAtUnknownParameters } from "../http/unknown-input.ts";
import { errorOfStatus } from "./errors.ts";
import type { GameArea } from "./game.ts";
import { MAX_BODY_BYTES, METHOD_HEADER } from "./limits.ts";
import { GAME } from "./name.ts";
import { operationOf, operationPath } from "./operations/index.ts";
import type { ServiceName } from "./operations/operation.ts";
import { activitiesRoute, operationRoutes } from "./routes/operations.ts";
import { gamePath, sendGameError, unknownRoute } from "./routes/support.ts";

const READABLE_HEADERS = ["X-Sandbox-Fault", "X-Sandbox-Hint", "Retry-After"];

export async function gameRoutes(app: App, { open }: AreaDoor<GameArea>): Promise<void> {
  app.decorateRequest("game");
  app.setErrorHandler(sendGameError);
  app.setNotFoundHandler((request, reply) => sendGameError(unknownRoute(request), request, reply));
  // The schemas are documentation only. Each operation validates its fields itself, after authenticating the caller.
  app.setValidatorCompiler(() => () => true);
  readBodiesAsJson(app);
  openToPages(app, READABLE_HEADERS);
  app.addHook("onRequest", (request, reply, done) => {
    request.game = open(request);
    // Reject unknown routes here, before the body is read.
    if (request.is404) return done(unknownRoute(request));
    hintAtUnknownParameters(request, reply);
    done();
  });
  meetApiFaults(app, GAME, {
    world: ({ game }) => game.world,
    paths({ url, headers }) {
      const path = gamePath(url);
      return [path, calledPath(path, headers[METHOD_HEADER] as string | undefined)];
    },
    error: (status) =>
      errorOfStatus(status, "GeneralError", `A fault makes this API return ${status}.`, faultHeaders(status)),
  });
  addRoutes(app, [...operationRoutes, activitiesRoute]);
}

/** The path of the operation called in the FeathersJS form, so that a fault's `match` works with both forms. */
function calledPath(path: string, method: string | undefined): string {
  if (path !== "/launcher" && path !== "/scores") return path;
  const service = path.slice(1) as ServiceName;
  return method === undefined ? path : operationPath(service, operationOf(service, method).method);
}

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;|$)/;

/** Parses every body as JSON regardless of its content type: browsers and game engines send text/plain and form types. */
function readBodiesAsJson(app: App): void {
  app.removeAllContentTypeParsers();
  acceptBodies(app, "*", (bytes) => readJsonObject(bytes), MAX_BODY_BYTES);
  // Fastify rejects a malformed content type before calling any parser.
  app.addHook("onRequest", ({ headers }, _reply, done) => {
    if (headers["content-type"] !== undefined && !MEDIA_TYPE.test(headers["content-type"]))
      delete headers["content-type"];
    done();
  });
}
