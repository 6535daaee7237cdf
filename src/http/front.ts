import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import module from "node:module";
import { SandboxError } from "../errors/errors.ts";
import { wallNow } from "../world/clock.ts";
import { cameInside, insideDoors, readAddress } from "./address.ts";
import type { AreaFace, Refusal } from "./area.ts";
import { type ConnectionOptions, createConnectionServer } from "./connections.ts";
import { answerRefusal, headersOf, sandboxErrorBody } from "./refusals.ts";
import { UNLISTED_HEADER } from "./request-log.ts";

/** Makes what answers the requests below one part of the path. */
export type MakeApp = () => Promise<RequestListener>;

/** The refusal of a request, if it gets no further. @param area that it is for */
export type Admit = (
  request: IncomingMessage,
  area: AreaFace | undefined,
) => Refusal | Promise<Refusal> | undefined;

/**
 * A server that hands a request to the app of the first part of its path. An app is made when the first request for it
 * comes: there are some two hundred routes, and most runs call only a few.
 * @param apps by that part of the path
 * @param rest for every other path
 * @param admit decides first
 * @param tls certificate and key, for HTTPS
 */
export function createFront(
  apps: ReadonlyMap<string, MakeApp>,
  rest: MakeApp,
  areas: readonly AreaFace[],
  admit: Admit,
  tls?: ConnectionOptions["tls"],
): Server {
  const doors = insideDoors(areas);
  const made = new Map<MakeApp, RequestListener>();
  const making = new Map<MakeApp, Promise<void>>();

  async function makeApp(make: MakeApp, response: ServerResponse): Promise<void> {
    // Node stores compiled code at a process's end, and a server is often killed. An older Node has no such export, and
    // has to get as far as the check of its version.
    response.once("close", () => module.flushCompileCache());
    made.set(make, await make());
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const part = readAddress(request, doors);
    const area = cameInside({ raw: request }) ? undefined : areas.find(({ name }) => name === part);
    const refusal = admit(request, area);
    if (refusal) {
      void Promise.resolve(refusal).then((it) => answerRefusal(response, it, request.url!, areas));
      return;
    }
    const make = apps.get(part) ?? rest;
    // At once if possible: Node may report a mistake in the body next, and must find the request answered.
    const app = made.get(make);
    if (app) {
      app(request, response);
      return;
    }
    const ready = making.get(make) ?? makeApp(make, response);
    making.set(make, ready);
    ready.then(
      () => made.get(make)!(request, response),
      (error: Error) => {
        making.delete(make);
        console.error(error);
        const failure = new SandboxError(
          "internal",
          `The answer could not be loaded: ${error.message}.`,
          "Repeat the request. If it fails each time, please report it.",
        );
        const text = JSON.stringify(sandboxErrorBody(failure));
        response.writeHead(failure.status, headersOf(text)).end(text);
      },
    );
  }

  return createConnectionServer(handle, { areas, tls });
}

/** A request that the server answered. */
export interface ObservedCall {
  method: string;
  /** As it was asked for, with the prefix of its world and its query. */
  url: string;
  status: number;
  /** Real milliseconds until the answer was sent, or the caller gone. */
  took: number;
  /** Whether the page made it by itself, and not a person. */
  unlisted: boolean;
}

/** Reports each answered request of a server, before anything else looks at it. */
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
