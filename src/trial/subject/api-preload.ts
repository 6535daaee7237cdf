/**
 * Loaded into a user's Node process before their code (NODE_OPTIONS of `--start`): connections to the host of SANDGLASS_API_HOST
 * go to SANDGLASS_API_BASE. fetch, undici, http and https all connect through `net` and `tls`, whichever agent they use, so
 * nothing else in the process is changed. It imports nothing of this package.
 */
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import tls from "node:tls";

interface Place {
  host?: string | null;
  hostname?: string | null;
  servername?: string;
  port?: number | string | null;
  socket?: unknown;
  path?: string;
}

const { SANDGLASS_API_BASE: base, SANDGLASS_API_HOST: host } = process.env;
if (base && host) lead(new URL(host), new URL(base));

function lead(from: URL, to: URL): void {
  const isSecure = from.protocol === "https:";
  const port = Number(from.port || (isSecure ? 443 : 80));
  const target = { host: to.hostname, port: Number(to.port) };
  const isThere = ({ host: name, hostname, servername, port: at, socket, path }: Place): boolean =>
    !socket && !path && (name || hostname || servername) === from.hostname && Number(at) === port;

  const connect = tls.connect as (...values: unknown[]) => tls.TLSSocket;
  tls.connect = ((...values: unknown[]) => {
    const options = placeIn(values);
    if (!isSecure || !isThere(options)) return connect(...values);
    return plain(net.connect(target), values.at(-1));
  }) as typeof tls.connect;
  // Patch the prototype: agents may have stored the exported functions, but all of them call this one.
  const open = net.Socket.prototype.connect as (...values: unknown[]) => net.Socket;
  net.Socket.prototype.connect = function (this: net.Socket, ...values: unknown[]) {
    // Node's own functions pass normalized arguments: a list with the options and a listener.
    const [first] = values;
    const given = Array.isArray(first) ? (first as unknown[]) : values;
    const options = placeIn(given);
    if (isSecure || !isThere(options)) return open.apply(this, values);
    const listener = given.findLast((value) => typeof value === "function");
    return open.call(this, { ...options, ...target }, listener);
  } as typeof net.Socket.prototype.connect;
  syncBuiltinESMExports();
}

/** The destination of `(options)`, `(port, host, options)` and `(port, options)`. */
function placeIn(values: readonly unknown[]): Place {
  const options = values.find((value) => typeof value === "object" && value !== null) as Place | undefined;
  const [port, host] = values;
  return {
    ...options,
    ...((typeof port === "number" || typeof port === "string") && { port }),
    ...(typeof host === "string" && { host }),
  };
}

/** A connection without TLS, which its client treats as a TLS connection. */
function plain(socket: net.Socket, listener: unknown): tls.TLSSocket {
  const secure = Object.assign(socket, {
    encrypted: true,
    authorized: true,
    alpnProtocol: false,
    getPeerCertificate: () => ({}),
    getSession: () => undefined,
    isSessionReused: () => false,
    setServername: () => undefined,
  }) as unknown as tls.TLSSocket;
  if (typeof listener === "function") secure.once("secureConnect", listener as () => void);
  socket.once("connect", () => secure.emit("secureConnect"));
  return secure;
}
