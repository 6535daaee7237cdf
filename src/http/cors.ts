import type { IncomingHttpHeaders } from "node:http";
import type { App } from "./types.ts";

export const isPreflight = (method: string | undefined, headers: IncomingHttpHeaders): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;

const METHODS = "GET, HEAD, POST, PATCH, DELETE";
const ONE_DAY_SECONDS = "86400";

/**
 * Allows pages that the guard admits to call an area. Credentials are not allowed, because keys are sent in headers.
 * This short hook replaces a plugin that every call would have to pass through.
 * @param exposed the response headers that a page may read
 * @param forServers whether the guard admits only some pages, so responses depend on the origin
 */
export function openToPages(app: App, exposed: readonly string[], forServers = false): void {
  const expose = exposed.join(", ");

  app.addHook("onRequest", (request, reply, done) => {
    const { origin } = request.headers;
    const vary = forServers ? ["Origin"] : [];
    if (!forServers) reply.header("access-control-allow-origin", "*");
    else if (origin !== undefined) reply.header("access-control-allow-origin", origin);
    if (origin !== undefined) reply.header("access-control-expose-headers", expose);
    const asked = request.headers["access-control-request-headers"];
    if (asked !== undefined) vary.push("Access-Control-Request-Headers");
    if (vary.length > 0) reply.header("vary", vary.join(", "));
    if (request.method !== "OPTIONS") return done();
    reply
      .code(204)
      .headers({
        "access-control-allow-methods": METHODS,
        "access-control-max-age": ONE_DAY_SECONDS,
        ...(asked === undefined ? {} : { "access-control-allow-headers": asked }),
      })
      .send();
  });
  // The hook above responds; this route only makes sure that it runs.
  app.options("/*", async (_request, reply) => reply.code(204).send());
}
