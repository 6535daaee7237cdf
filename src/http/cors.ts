import type { IncomingHttpHeaders } from "node:http";
import type { App } from "./types.ts";

/** Whether a browser asks if it may send the request that a page of another origin wants to make. */
export const isPreflight = (method: string | undefined, headers: IncomingHttpHeaders): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

const METHODS = "GET, HEAD, POST, PATCH, DELETE";
const ONE_DAY_SECONDS = "86400";

/**
 * Opens an area to every origin, without credentials: the keys are in headers. The answers are the same for
 * every caller, so they are three lines here rather than a plugin on the path of every call.
 * @param exposed the answer headers that a page may read
 */
export function openToEveryOrigin(app: App, exposed: readonly string[]): void {
  const expose = exposed.join(", ");

  app.addHook("onRequest", (request, reply, done) => {
    reply.header("access-control-allow-origin", "*");
    if (request.headers.origin !== undefined) reply.header("access-control-expose-headers", expose);
    if (request.method !== "OPTIONS") return done();
    const asked = request.headers["access-control-request-headers"];
    reply
      .code(204)
      .headers({
        "access-control-allow-methods": METHODS,
        "access-control-max-age": ONE_DAY_SECONDS,
        ...(asked === undefined
          ? {}
          : { "access-control-allow-headers": asked, vary: "access-control-request-headers" }),
      })
      .send();
  });
  // The hook above answers it; the route makes sure that it is asked.
  app.options("/*", async (_request, reply) => reply.code(204).send());
}
