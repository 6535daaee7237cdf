import { connect } from "node:net";
import { expect, test } from "vitest";
import { startBuiltProcess } from "../support/built.ts";
import { clientOf } from "../support/sandbox.ts";

const AT_ONCE = 50;
const CONNECTIONS = 1_500;

/**
 * Uses a real server, unlike test/http/refusals.test.ts, because pages of other origins can open such connections, too.
 */
test("the server survives rejected WebSocket upgrades whose connections are reset", async () => {
  const { url, process } = await startBuiltProcess(["--port", "0", "--seed", "empty"]);
  const { port } = new URL(url);
  const upgrade = [
    "GET /_sandbox/live HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Origin: https://evil.example",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ].join("\r\n");
  const reset = () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), "127.0.0.1", () => {
        socket.write(`${upgrade}\r\n\r\n`);
        setImmediate(() => socket.resetAndDestroy());
      });
      socket.on("error", () => undefined).on("close", () => resolve());
    });
  for (let made = 0; made < CONNECTIONS && process.exitCode === null; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, reset));
  expect(process.exitCode).toBe(null);
  expect((await clientOf(url).control("GET", "/status")).status).toBe(200);
});
