import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { wallNow } from "../world/clock.ts";
import { UNLISTED_HEADER } from "./request-log.ts";

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
