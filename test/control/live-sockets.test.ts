import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { createLiveSockets } from "../../src/control/live-sockets.ts";
import { startSandbox } from "../support/sandbox.ts";

test("a live WebSocket that answers pings stays connected, and one that does not is closed", async () => {
  const { sandbox } = await startSandbox();
  const sockets = createLiveSockets(100);
  const server = createServer();
  server.on("upgrade", (request, socket, head) => {
    const query = { after: undefined, types: [], clock: false, calls: false };
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

test("the server responds to any message on a live WebSocket with the state of the clock", async () => {
  const { url, advance } = await startSandbox();
  const socket = new WebSocket(`${url.replace("http", "ws")}/_sandbox/live`);
  onTestFinished(() => socket.terminate());
  await new Promise((resolve) => socket.on("open", resolve));
  await advance("1h");
  const answer = new Promise<string>((resolve) =>
    socket.on("message", (data) => {
      if (String(data).includes('"type":"clock"')) resolve(String(data));
    }),
  );
  socket.send("clock");
  expect(JSON.parse(await answer)).toMatchObject({
    type: "clock",
    data: { mode: "paused", now: "2026-01-15T10:00:00.000Z" },
  });
});
