import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { createLiveSockets } from "../../src/control/live-sockets.ts";
import { startSandbox } from "../support/sandbox.ts";

test("a listener that answers pings stays, one that does not is let go", async () => {
  const { sandbox } = await startSandbox();
  const sockets = createLiveSockets(100);
  const server = createServer();
  server.on("upgrade", (request, socket, head) => {
    const query = { after: undefined, types: [], clock: false };
    void sockets.accept(sandbox, query, request, socket, head);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    sockets.close();
    server.close();
  });
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const alive = new WebSocket(url);
  const dead = new WebSocket(url, { autoPong: false });
  let pings = 0;
  alive.on("ping", () => {
    pings += 1;
  });
  await new Promise((resolve) => dead.on("close", resolve));
  await expect.poll(() => pings).toBeGreaterThan(2);
  expect(alive.readyState).toBe(WebSocket.OPEN);
});
