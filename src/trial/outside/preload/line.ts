import net from "node:net";
import type { GatewayAddress } from "../gateway.ts";

/**
 * This thread's connection to the gateway, which announces the destinations of other connections. Messages are JSON, one per
 * line.
 */
export interface Line {
  port: number;
  /** Announces the destination of a connection to the gateway. @param from the connection's own port */
  lead(from: number, to: string): void;
  /** Reports what was refused here. */
  refuse(what: string): Error;
  /** Reports that this process accepts connections on a port. */
  listen(at: number): void;
  close(): void;
}

export function openLine({ port, token }: GatewayAddress): Line {
  let socket: net.Socket | undefined;
  const connect = net.Socket.prototype.connect as (
    this: net.Socket,
    where: net.TcpNetConnectOpts,
  ) => net.Socket;
  function write(message: object): void {
    if (!socket) {
      socket = new net.Socket();
      connect.call(socket, { host: "127.0.0.1", port });
      // Without the gateway, the connections themselves fail.
      socket
        .on("error", () => undefined)
        .setNoDelay(true)
        .unref();
      socket.write(`sandglass ${token}\n`);
    }
    socket.write(`${JSON.stringify(message)}\n`);
  }
  return {
    port,
    lead: (from, to) => write({ from, to }),
    refuse(what) {
      write({ refused: what });
      const error = new Error(
        `Sandglass refuses ${what}: during a trial, nothing leaves this machine. Add the host to subject.allow to reach it.`,
      );
      return Object.assign(error, { code: "ECONNREFUSED" });
    },
    listen: (at) => write({ listens: at }),
    close: () => void socket?.destroy(),
  };
}
