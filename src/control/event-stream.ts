import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { calledMethod } from "../http/address.ts";
import { createPace, type Pace } from "./pace.ts";

/** Server-sent events, each with a type and optionally an id. */
export interface EventStream extends Pace {
  send: (message: { type: string }, id?: number | string) => void;
  /** Ends the stream once everything has been written. */
  end: () => void;
  destroy: () => void;
}

/**
 * Responds with server-sent events. A HEAD request gets only the headers.
 * @param follow sends current and future messages, and returns a function that unsubscribes
 */
export function streamEvents(reply: FastifyReply, follow: (stream: EventStream) => () => void): FastifyReply {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    // These headers allow pages of the allowed origins to read the stream.
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
  const pace = createPace(() => !raw.writableNeedDrain);
  const unfollow = follow({
    ...pace,
    send(message, id) {
      const idLine = id === undefined ? "" : `id: ${id}\n`;
      raw.write(`${idLine}event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`);
    },
    end: () => void raw.end(),
    destroy: () => void raw.destroy(),
  });
  raw.on("drain", pace.advance);
  raw.on("close", () => {
    pace.stop();
    unfollow();
  });
  return reply;
}
