import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { UNLISTED_HEADER } from "../http/request-log.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { wallNow } from "../world/clock.ts";

/** A request that the server answered. */
export interface ObservedCall {
  method: string;
  /** As it was asked for, with the prefix of its world and its query. */
  url: string;
  status: number;
  /** Real milliseconds until the answer was sent, or the caller gone. */
  took: number;
  /** Whether the page made it by itself: nobody asked for it. */
  unlisted: boolean;
}

/** Who is told of what a server does. Without one, serving costs nothing more. */
export interface Observer {
  call(call: ObservedCall): void;
  /** Follows a world from when it is opened. */
  world(sandbox: Sandbox): void;
}

/** Reports each answered request of a server, before anything else looks at it. */
export function observeCalls(server: Server, observer: Observer): void {
  server.prependListener(
    "request",
    ({ method = "", url = "", headers }: IncomingMessage, response: ServerResponse) => {
      const begun = wallNow();
      const unlisted = headers[UNLISTED_HEADER] !== undefined;
      response.once("close", () =>
        observer.call({ method, url, status: response.statusCode, took: wallNow() - begun, unlisted }),
      );
    },
  );
}
