import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { calledMethod } from "../http/address.ts";

/** A listener that falls this far behind is disconnected. It reconnects with its last event id and misses nothing. */
export const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;

/** Server-sent events: each message by its type, and by its number where it has one. */
export interface EventStream {
  send: (message: { type: string; seq?: number }) => void;
  /** Ends the stream once everything is written. */
  end: () => void;
  destroy: () => void;
}

/**
 * Answers a request with server-sent events; HEAD gets the headers alone.
 * @param follow sends what there is and what comes. Returns the unsubscribe.
 */
export function streamEvents(reply: FastifyReply, follow: (stream: EventStream) => () => void): FastifyReply {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    // Those that let a page of an allowed origin read it.
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    connection: "keep-alive",
  });
  if (calledMethod(reply.request) === "HEAD") {
    raw.end();
    return reply;
  }
  raw.write(": connected\n\n");
  const unfollow = follow({
    send(message) {
      const id = message.seq === undefined ? "" : `id: ${message.seq}\n`;
      raw.write(`${id}event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`);
      if (raw.writableLength > MAX_BACKLOG_BYTES) raw.destroy();
    },
    end: () => void raw.end(),
    destroy: () => void raw.destroy(),
  });
  raw.on("close", unfollow);
  return reply;
}

/** The last message that a reconnecting event source has received. */
export function lastEventId(headers: IncomingHttpHeaders): number | undefined {
  const id = Number(headers["last-event-id"]);
  return Number.isInteger(id) && id > 0 ? id : undefined;
}
