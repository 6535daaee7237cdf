import type { Server } from "node:http";
import type { Server as SecureServer } from "node:https";
import { onTestFinished } from "vitest";
import { listenAt } from "../../src/runtime/listen.ts";

/** Makes a server listen until the test ends, and returns its port. */
export function listenForTest(server: Server | SecureServer): Promise<number> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listenAt(server, { port: 0, host: "127.0.0.1" });
}
