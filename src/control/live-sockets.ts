import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import { misuse } from "../errors/errors.ts";
import { answerSocket, sandboxErrorBody } from "../http/refusals.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { patientTimer } from "../world/clock.ts";
import { followAll, type LiveQuery } from "./live.ts";
import { createPace } from "./pace.ts";

/** Milliseconds of real time between pings. A client that did not respond to the previous ping is disconnected. */
const PING_EVERY_MS = 30_000;

/** A client with more unread bytes than this receives nothing until it has caught up. */
const MOST_WAITING_BYTES = 64 * 1024;

const INTERNAL_ERROR = 1011;

/**
 * Serves GET /live as a WebSocket that sends one JSON message at a time. The response to every client message is the
 * clock's state, so a client can distinguish a quiet server from one that hangs. `ws` is loaded on the first
 * connection.
 */
export function createLiveSockets(pingEvery = PING_EVERY_MS) {
  const stops = new Map<WebSocket, () => void>();
  const unanswered = new Set<WebSocket>();
  let server: WebSocketServer | undefined;
  let cancelPing = () => {};

  function ping(): void {
    for (const socket of stops.keys()) {
      if (unanswered.has(socket)) socket.terminate();
      else {
        unanswered.add(socket);
        socket.ping();
      }
    }
    pingLater();
  }

  /** Wait before pinging, so pongs that arrived while this process was busy are read first. */
  function pingLater(): void {
    cancelPing = patientTimer(pingEvery, ping);
  }

  function forget(socket: WebSocket): void {
    stops.get(socket)?.();
    stops.delete(socket);
    unanswered.delete(socket);
  }

  function greet(socket: WebSocket, sandbox: Sandbox, query: LiveQuery): void {
    socket.on("pong", () => void unanswered.delete(socket));
    socket.on("close", () => forget(socket));
    socket.on("error", () => socket.terminate());
    const pace = createPace(() => socket.bufferedAmount < MOST_WAITING_BYTES);
    const send = (message: object) => socket.send(JSON.stringify(message), () => pace.advance());
    const sendClock = () => send(sandbox.clock.message());
    socket.on("message", () => pace.whenReady(sendClock));
    const unfollow = followAll(sandbox, query, { ...pace, send, destroy: () => socket.terminate() });
    stops.set(socket, () => {
      pace.stop();
      unfollow();
    });
  }

  return {
    async accept(
      sandbox: Sandbox,
      query: LiveQuery,
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
    ): Promise<void> {
      if (!server) {
        const { WebSocketServer } = await import("ws");
        server ??= new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 });
        server.on("wsClientError", ({ message }: Error, refused: Duplex) => {
          const error = misuse(`${message}.`, "Connect with WebSocket version 13.");
          answerSocket(refused, error.status, sandboxErrorBody(error));
        });
        cancelPing();
        pingLater();
      }
      server.handleUpgrade(request, socket, head, (accepted) => {
        try {
          greet(accepted, sandbox, query);
        } catch (error) {
          // The world was closed during the handshake.
          accepted.close(INTERNAL_ERROR, (error as Error).message);
        }
      });
    },
    close(): void {
      cancelPing();
      for (const socket of [...stops.keys()]) {
        forget(socket);
        socket.terminate();
      }
      server?.close();
    },
  };
}
