import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { flushCompileCache } from "node:module";
import { SandboxError } from "../errors.ts";
import { type InsideDoor, readAddress } from "./address.ts";
import { createConnectionServer } from "./connections.ts";
import { headersOf, sandboxErrorBody } from "./refusals.ts";

/** Makes what answers the requests below one part of the path. */
export type MakeApp = () => Promise<RequestListener>;

/**
 * A server that hands a request to the app of the first part of its path. An app is made when the first request for it
 * comes: there are some two hundred routes, and most runs call only a few.
 * @param apps by that part of the path
 * @param rest for every other path
 */
export function createFront(apps: ReadonlyMap<string, MakeApp>, rest: MakeApp, door: InsideDoor): Server {
  const made = new Map<MakeApp, Promise<RequestListener>>();

  function appFor(request: IncomingMessage, response: ServerResponse): Promise<RequestListener> {
    const make = apps.get(readAddress(request, door)) ?? rest;
    let app = made.get(make);
    if (!app) {
      app = make();
      made.set(make, app);
      // Node stores compiled code at a process's end, and a server is often killed.
      response.once("close", flushCompileCache);
    }
    return app;
  }

  return createConnectionServer((request, response) => {
    appFor(request, response).then(
      (answer) => answer(request, response),
      (error: Error) => {
        console.error(error);
        const failure = new SandboxError("internal", `${error.message}.`, "Please report it.");
        const text = JSON.stringify(sandboxErrorBody(failure));
        response.writeHead(failure.status, headersOf(text)).end(text);
      },
    );
  });
}
