import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import module from "node:module";
import { SandboxError } from "../errors/errors.ts";
import { wallNow } from "../world/clock.ts";
import { cameInside, insideDoors, readAddress } from "./address.ts";
import type { AreaFace, Refusal } from "./area.ts";
import { type ConnectionOptions, createConnectionServer } from "./connections.ts";
import { answerRefusal, headersOf, sandboxErrorBody } from "./refusals.ts";
import { UNLISTED_HEADER } from "./request-log.ts";

/** The refusal of a request that may not continue. @param area that it is for */
export type Admit = (
  request: IncomingMessage,
  area: AreaFace | undefined,
) => Refusal | Promise<Refusal> | undefined;

/**
 * A server that hands a request to the app of the first part of its path. An app is made when the first request for it
 * comes: making all five takes a tenth of a second of every start (`npm run bench -- start`).
 * @param parts the parts of paths that have an app of their own; the app of "" answers all others
 * @param load makes the app of a part, and after a failure tries again
 * @param admit decides first
 * @param tls certificate and key, for HTTPS
 */
export function createFront(
  parts: readonly string[],
  load: (part: string) => Promise<RequestListener>,
  areas: readonly AreaFace[],
  admit: Admit,
  tls?: ConnectionOptions["tls"],
): Server {
  const doors = insideDoors(areas);
  const loaded = new Map<string, RequestListener>();

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const named = readAddress(request, doors);
    const part = parts.includes(named) ? named : "";
    const area = cameInside({ raw: request }) ? undefined : areas.find(({ name }) => name === named);
    const refusal = admit(request, area);
    if (refusal) {
      void Promise.resolve(refusal).then((it) => answerRefusal(response, it, request.url!, areas));
      return;
    }
    const app = loaded.get(part);
    // This answers at once if possible: Node may report a mistake in the body next, and must find the request answered.
    if (app) return void app(request, response);
    // Node stores compiled code when a process ends, and a server is often killed. An older Node lacks this export, and must
    // reach the check of its version.
    response.once("close", () => module.flushCompileCache());
    load(part).then(
      (answer) => {
        loaded.set(part, answer);
        answer(request, response);
      },
      (error: Error) => {
        console.error(error);
        const failure = new SandboxError(
          "internal",
          `The response could not be loaded: ${error.message}.`,
          "Retry the request. If it fails every time, please report it.",
        );
        const text = JSON.stringify(sandboxErrorBody(failure));
        response.writeHead(failure.status, headersOf(text)).end(text);
      },
    );
  }

  return createConnectionServer(handle, { areas, tls });
}

export interface ObservedCall {
  method: string;
  /** The URL as it was requested, with the prefix of its world and its query. */
  url: string;
  status: number;
  /** Real milliseconds until the answer was sent, or the caller had gone. */
  took: number;
  /** Whether the page made it by itself. */
  unlisted: boolean;
}

/** Reports each answered request of a server, before anything else reads it. */
export function observeCalls(server: Server, report: (call: ObservedCall) => void): void {
  server.prependListener(
    "request",
    ({ method = "", url = "", headers }: IncomingMessage, response: ServerResponse) => {
      const begun = wallNow();
      const unlisted = headers[UNLISTED_HEADER] !== undefined;
      response.once("close", () =>
        report({ method, url, status: response.statusCode, took: wallNow() - begun, unlisted }),
      );
    },
  );
}
