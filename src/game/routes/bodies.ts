import { acceptBodies } from "../../http/body.ts";
import { readJsonObject } from "../../http/json-body.ts";
import type { App } from "../../http/types.ts";
import { MAX_BODY_BYTES } from "../limits.ts";

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(?:;|$)/;

/**
 * Reads every body as JSON, whatever its content type says: browsers and game engines send text/plain and form types.
 */
export function readBodiesAsJson(app: App): void {
  app.removeAllContentTypeParsers();
  acceptBodies(app, "*", readJsonObject, MAX_BODY_BYTES);
  // Fastify refuses a malformed content type before it asks any parser.
  app.addHook("onRequest", ({ headers }, _reply, done) => {
    if (headers["content-type"] !== undefined && !MEDIA_TYPE.test(headers["content-type"]))
      delete headers["content-type"];
    done();
  });
}
