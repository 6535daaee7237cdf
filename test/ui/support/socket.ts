import type { ClockMessage } from "../../../ui/api-types.ts";
import type { Socket } from "../../../ui/live.ts";

/** The server's end of a live connection. */
export interface FakeSocket extends Socket {
  query: string;
  closed: boolean;
  sent: string[];
  open(): void;
  say(...messages: object[]): void;
  drop(): void;
}

export function fakeSockets() {
  const sockets: FakeSocket[] = [];
  const open = (query: string): Socket => {
    const socket: FakeSocket = {
      query,
      closed: false,
      sent: [],
      onopen: null,
      onmessage: null,
      onclose: null,
      send: (text) => void socket.sent.push(text),
      close() {
        socket.closed = true;
      },
      open: () => socket.onopen?.(),
      say(...messages) {
        for (const message of messages) socket.onmessage?.({ data: JSON.stringify(message) });
      },
      drop: () => socket.onclose?.(),
    };
    sockets.push(socket);
    return socket;
  };
  return { sockets, open, last: () => sockets.at(-1)! };
}

export function clockMessage(over: Partial<ClockMessage["data"]> = {}): ClockMessage {
  return {
    type: "clock",
    data: {
      mode: "paused",
      rate: 1,
      now: "2026-01-15T09:00:00.000Z",
      next_due: null,
      next_own_due: null,
      last_seq: 0,
      advance: null,
      ...over,
    },
  };
}
