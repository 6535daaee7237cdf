import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";

/** A listener that falls this far behind is disconnected. It reconnects with its last event id and misses nothing. */
export const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;

/** Server-sent events: each message by its type, and by its number where it has one. */
export interface EventStream {
  send: (message: { type: string; seq?: number }) => void;
  /** Ends the stream once everything is written. */
  end: () => void;
  destroy: () => void;
  onClose: (listener: () => void) => void;
}

/** Answers a request with server-sent events. */
export function openEventStream(reply: FastifyReply): EventStream {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    // Those that let a page of an allowed origin read it.
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    connection: "keep-alive",
  });
  raw.write(": connected\n\n");
  return {
    send(message) {
      const id = message.seq === undefined ? "" : `id: ${message.seq}\n`;
      raw.write(`${id}event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`);
      if (raw.writableLength > MAX_BACKLOG_BYTES) raw.destroy();
    },
    end: () => void raw.end(),
    destroy: () => void raw.destroy(),
    onClose: (listener) => void raw.on("close", listener),
  };
}

/** The last message that a reconnecting event source has received. */
export function lastEventId(headers: IncomingHttpHeaders): number | undefined {
  const id = Number(headers["last-event-id"]);
  return Number.isInteger(id) && id > 0 ? id : undefined;
}
