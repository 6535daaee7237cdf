import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { asSandboxError } from "../control/errors.ts";
import { readLiveQuery } from "../control/live.ts";
import { createLiveSockets } from "../control/live-sockets.ts";
import { CONTROL_PATH } from "../control/name.ts";
import { splitWorld } from "../http/address.ts";
import { serveWithoutUpgrade } from "../http/connections.ts";
import { answerSocket, sandboxErrorBody } from "../http/refusals.ts";
import type { Worlds } from "../sandbox/worlds.ts";
import type { Door } from "./door.ts";

const LIVE_PATH = `/${CONTROL_PATH}/live`;

/**
 * Opens the live stream of a world as a WebSocket; every other upgrade is served as a plain request.
 * @returns ends the streams
 */
export function serveUpgrades(front: Server, worlds: Worlds, { guard, ownOrigin }: Door): () => void {
  const sockets = createLiveSockets();

  async function openLive(
    world: string,
    query: URLSearchParams,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> {
    try {
      await guard.check(request);
      const sandbox = worlds.find(world);
      await sockets.accept(sandbox, readLiveQuery(sandbox, Object.fromEntries(query)), request, socket, head);
    } catch (error) {
      const refusal = asSandboxError(error);
      answerSocket(socket, refusal.status, sandboxErrorBody(refusal));
    }
  }

  front.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    guard.meet(request);
    const { world, rest } = splitWorld(request.url ?? "/");
    const url = URL.canParse(rest, ownOrigin()) ? new URL(rest, ownOrigin()) : undefined;
    if (url?.pathname === LIVE_PATH && request.headers.upgrade?.toLowerCase() === "websocket")
      void openLive(world, url.searchParams, request, socket, head);
    else serveWithoutUpgrade(front, request, socket, head);
  });
  return sockets.close;
}
