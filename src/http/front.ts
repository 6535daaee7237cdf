import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import module from "node:module";
import { internalError } from "../errors/errors.ts";
import { wallNow } from "../world/clock.ts";
import { cameInside, insideDoors, readAddress } from "./address.ts";
import type { AreaFace, Refusal } from "./area.ts";
import { type ConnectionOptions, createConnectionServer } from "./connections.ts";
import { answerRefusal, headersOf, sandboxErrorBody } from "./refusals.ts";
import { UNLISTED_HEADER } from "./request-log.ts";

/** Checks a request, and returns an error if it may not continue. @param area the request's area */
export type Admit = (
  request: IncomingMessage,
  area: AreaFace | undefined,
) => Refusal | Promise<Refusal> | undefined;

/**
 * A server that passes each request to the app for the first segment of its path. Each app is created on its first
 * request, because creating all five would add a tenth of a second to every start (`npm run bench -- start`).
 * @param parts the path segments with their own app; the app for "" handles everything else
 * @param load creates the app for a segment; called again after a failure
 * @param admit runs before the app
 * @param tls the certificate and key for HTTPS
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
    // Handle the request synchronously if possible: Node may report an error in the body next, and a response must
    // already have been sent by then.
    if (app) return void app(request, response);
    // Node normally stores compiled code when a process exits, but a server is often killed instead. Older Node
    // versions lack this export, and must still reach the version check.
    response.once("close", () => module.flushCompileCache());
    load(part).then(
      (answer) => {
        loaded.set(part, answer);
        answer(request, response);
      },
      (error: Error) => {
        console.error(error);
        const failure = internalError(
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
  /** The URL as requested, including the world's prefix and the query. */
  url: string;
  status: number;
  /** The time until the response was sent or the caller disconnected, in real milliseconds. */
  took: number;
  /** Whether the page made the call on its own, rather than because of a user's action. */
  unlisted: boolean;
}

/** Reports each request after the server has responded to it. Runs before anything else reads the request. */
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
