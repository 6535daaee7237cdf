import dgram from "node:dgram";
import net from "node:net";
import { isListed, isOwnHost, plainHost } from "../hosts.ts";
import type { Line } from "./line.ts";
import type { Names } from "./names.ts";
import { type Method, replaceMethod } from "./replace.ts";

interface Destination {
  host?: string | null;
  port?: number | string | null;
  path?: string | null;
}

/**
 * Redirects TCP connections that would leave the machine to the gateway.
 * @param only the places whose connections are redirected
 * @returns a function that stops this
 */
export const redirectConnections = (line: Line, names: Names, only: readonly string[]): (() => void) =>
  // Patch the prototype: agents may have stored the exported functions, but all of them call this method.
  replaceMethod<net.Socket>(
    net.Socket.prototype,
    "connect",
    (connect) =>
      function (...values) {
        // Node's own functions pass normalized arguments: a list with the options and a listener.
        const given = Array.isArray(values[0]) ? (values[0] as unknown[]) : values;
        const destination = destinationIn(given);
        const { host, port, path } = destination;
        if (path || isOwnHost(host)) return connect.apply(this, values);
        const place = { host: names.nameOf(plainHost(host!)), port: Number(port) };
        if (!isListed(place, only)) return connect.apply(this, values);
        // HTTP/2 derives a session's origin from the remote port.
        Object.defineProperty(this, "remotePort", { configurable: true, value: place.port });
        // Runs before the listener of a TLS connection, which sends the first bytes.
        this.prependOnceListener("connect", () => line.lead(this.localPort!, `${place.host}:${place.port}`));
        const led = {
          ...{ host: "127.0.0.1", port: line.port, family: 4 },
          ...{ localAddress: undefined, localPort: undefined },
        };
        return connect.call(
          this,
          { ...destination, ...led },
          given.findLast((value) => typeof value === "function"),
        );
      },
  );

/** Watches for ports at which this process accepts connections. */
export function watchListening(listensAt: (port: number) => void): void {
  replaceMethod<net.Server>(
    net.Server.prototype,
    "listen",
    (listen) =>
      function (...values) {
        this.once("listening", () => {
          const address = this.address();
          if (address && typeof address === "object") listensAt(address.port);
        });
        return listen.apply(this, values);
      },
  );
}

/** Refuses datagrams that would leave the machine. */
export function refuseDatagrams(line: Line, names: Names): void {
  for (const name of ["send", "connect"])
    replaceMethod(
      dgram.Socket.prototype,
      name,
      (method) =>
        function (...values) {
          // The first argument of `send` is the message.
          const host = values.slice(1).find((value) => typeof value === "string");
          if (typeof host !== "string" || isOwnHost(host)) return method.apply(this, values);
          const port = values
            .slice(0, values.indexOf(host, 1))
            .findLast((value) => typeof value === "number");
          const error = line.refuse(`a datagram to ${names.nameOf(plainHost(host))}:${port}`);
          const callback = values.findLast((value) => typeof value === "function") as Method | undefined;
          // Without a callback, nothing reads the error.
          if (callback) process.nextTick(callback, error);
          return undefined;
        },
    );
}

/** The destination of `(options)`, `(port, host, options)`, `(port, options)` and `(path)`. */
function destinationIn(values: readonly unknown[]): Destination {
  const options = values.find((value) => typeof value === "object" && value !== null) as
    | Destination
    | undefined;
  const [first, second] = values;
  const isPort = typeof first === "number" || (typeof first === "string" && /^\d+$/.test(first));
  return {
    ...options,
    ...(isPort ? { port: first } : typeof first === "string" && { path: first }),
    ...(typeof second === "string" && { host: second }),
  };
}
