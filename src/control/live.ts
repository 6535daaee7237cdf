import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WebSocket, WebSocketServer } from "ws";
import { SandboxError } from "../errors.ts";
import type { Sandbox } from "../sandbox.ts";
import type { JournalEntry } from "../world/journal.ts";

/** A listener that falls this far behind is let go; it reconnects with `after` and misses nothing. */
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;
const REPLAY_PAGE = 1_000;

export interface LiveQuery {
  /** Replay entries after this seq first; only new ones when absent. */
  after: number | undefined;
  types: string[];
}

/**
 * Reads the query of a WebSocket, which no route's schema checks.
 * @throws SandboxError `bad_request`
 */
export function readLiveQuery(query: URLSearchParams): LiveQuery {
  const after = query.get("after");
  if (after !== null && !/^\d{1,15}$/.test(after)) {
    throw new SandboxError(
      "bad_request",
      `after must be a whole number of at least 0, not '${after.slice(0, 40)}'.`,
    );
  }
  return {
    after: after === null ? undefined : Number(after),
    types: readTypes(query.get("types") ?? undefined),
  };
}

export function readTypes(types: string | undefined): string[] {
  return (types ?? "")
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");
}

/**
 * Hands over the journal's entries, first those after `after`, then each as it comes: none twice, none lost.
 * @returns the unsubscribe
 */
function follow(
  sandbox: Sandbox,
  { after, types }: LiveQuery,
  send: (entry: JournalEntry) => void,
): () => void {
  const { journal } = sandbox;
  const wanted = (type: string) =>
    types.length === 0 ||
    types.some((pattern) =>
      pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
    );
  let last = after ?? journal.lastSeq();
  for (;;) {
    const page = journal.list({ after: last, types, limit: REPLAY_PAGE });
    for (const entry of page) send(entry);
    last = page.at(-1)?.seq ?? last;
    if (page.length < REPLAY_PAGE) break;
  }
  return journal.subscribe((entry) => {
    if (wanted(entry.type)) send(entry);
  });
}

/** GET /live as server-sent events. */
export function streamJournal(
  sandbox: Sandbox,
  request: FastifyRequest,
  reply: FastifyReply,
  query: LiveQuery,
): FastifyReply {
  if (!/text\/event-stream/.test(request.headers.accept ?? "")) {
    throw new SandboxError(
      "bad_request",
      "GET /live is a WebSocket, or server-sent events.",
      "Connect with a WebSocket, or send the header accept: text/event-stream.",
    );
  }
  const lastEventId = Number(request.headers["last-event-id"]);
  const after = Number.isInteger(lastEventId) && lastEventId > 0 ? lastEventId : query.after;
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    connection: "keep-alive",
  });
  raw.write(": connected\n\n");
  const stop = follow(sandbox, { ...query, after }, (entry) => {
    raw.write(`id: ${entry.seq}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`);
    if (raw.writableLength > MAX_BACKLOG_BYTES) raw.destroy();
  });
  raw.on("close", stop);
  return reply;
}

/** GET /live as a WebSocket: one JSON entry in each message. `ws` is loaded at the first one. */
export function createLiveSockets() {
  let server: WebSocketServer | undefined;

  function greet(socket: WebSocket, sandbox: Sandbox, query: LiveQuery): void {
    const stop = follow(sandbox, query, (entry) => {
      socket.send(JSON.stringify(entry));
      if (socket.bufferedAmount > MAX_BACKLOG_BYTES) socket.terminate();
    });
    socket.on("close", stop);
    socket.on("error", () => socket.terminate());
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
      }
      server.handleUpgrade(request, socket, head, (accepted) => greet(accepted, sandbox, query));
    },
    close(): void {
      for (const client of server?.clients ?? []) client.terminate();
      server?.close();
    },
  };
}
