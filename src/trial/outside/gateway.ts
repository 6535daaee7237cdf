import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { createSecureContext, createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { listenAt } from "../../runtime/listen.ts";
import { wallTimer } from "../../world/clock.ts";
import { SECOND } from "../../world/duration.ts";
import type { Authority } from "./authority.ts";
import { type Place, placeIn, placeText, plainHost } from "./hosts.ts";
import { MAIL_PORTS, type MailServer } from "./mail.ts";

/**
 * The only way from a started server to anything outside this machine. Accepts only connections that present the run's
 * token.
 */
export interface Gateway {
  port: number;
  /**
   * Accepts a connection that was opened in the server's own network. @param place its destination; undefined for the
   * gateway itself
   */
  take(socket: Socket, place: Place | undefined): void;
  /** Handles a connection whose destination was specified in a request to the proxy. */
  follow(socket: Socket, place: Place): Promise<void>;
  /** Whether a process with the preload accepts connections on a port; by default, on any port. */
  isHeld(port?: number): boolean;
  close(): Promise<void>;
}

/** Why a connection could not be handled: its client does not speak HTTP, or does not trust the authority. */
export type Refusal = "not-http" | "untrusted" | "refused";

/** How clients reach the gateway on loopback. */
export interface GatewayAddress {
  port: number;
  token: string;
}

export type HttpVersion = "1.1" | "2";

export interface GatewayOptions {
  token: string;
  authority: Authority;
  /** Whether connections to a place are forwarded to it unchanged. */
  passes(place: Place): boolean;
  /** Forwards a connection to a place that the server is allowed to reach. */
  pass(socket: Socket, place: Place): void;
  /** Serves HTTP on a connection. @param place where the client believes it is connected; undefined for a proxy */
  serve(socket: Socket, version: HttpVersion, place: Place | undefined): void;
  mail: MailServer;
  refused(what: string | Place, why: Refusal): void;
}

/** How long the preload may take to announce a connection's destination, in real milliseconds. */
const LEAD_MS = 5 * SECOND;
/** How long a client may be silent at first. In some protocols, the server speaks first. */
const SILENCE_MS = 5 * SECOND;
/** Ports on which servers speak first (FTP, SSH, POP3, IMAP, MySQL), and ports on which they do so behind TLS. */
const SILENT_PORTS = [21, 22, 110, 143, 3306];
const SILENT_TLS_PORTS = [993, 995];
const PREFACE = "PRI * HTTP/2";
const REQUEST = /^[A-Z]{3,20} \S/;
/** A request to a proxy. */
const PROXIED = /^(?:CONNECT |[A-Z]{3,20} https?:)/;
const HANDSHAKE = 22;

/** Opens the gateway on a free loopback port. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { token, authority, passes, pass, serve, mail, refused } = options;
  const sockets = new Set<Socket>();
  const heldPorts = new Set<number>();
  /** The destinations of connections by client port, as the preload announced them. */
  const places = new Map<number, Place>();
  const secureServers = new Map<string, Promise<TlsServer>>();
  const waiting = new Map<number, (place: Place) => void>();

  function refuse(socket: Socket, place: Place): void {
    refused(place, "not-http");
    socket.destroy();
  }

  /** Reads the messages from a thread's preload. */
  function readLine(socket: Socket): void {
    socket.unref();
    const lines = createInterface({ input: socket });
    // The reader also emits an error when the process is killed.
    lines.on("error", () => undefined);
    lines.on("line", (text) => {
      if (text === `sandglass ${token}`) return;
      const { from, to = "", refused: what, listens } = JSON.parse(text) as Said;
      if (listens !== undefined) heldPorts.add(listens);
      if (what !== undefined) refused(what, "refused");
      if (from === undefined) return;
      const place = placeIn(to, 0);
      const lead = waiting.get(from);
      if (lead) lead(place);
      else places.set(from, place);
    });
  }

  /** @returns undefined if the connection's destination is unknown */
  function placeOf(socket: Socket): Promise<Place | undefined> {
    const from = socket.remotePort!;
    const place = places.get(from);
    places.delete(from);
    if (place) return Promise.resolve(place);
    return new Promise((resolve) => {
      const give = (found?: Place) => {
        cancel();
        waiting.delete(from);
        resolve(found);
      };
      const cancel = wallTimer(LEAD_MS, give);
      waiting.set(from, give);
      socket.once("close", () => give());
    });
  }

  async function accept(socket: Socket): Promise<void> {
    const place = placeOf(socket);
    const first = peek(socket);
    const bytes = await Promise.race([first.bytes, place.then(() => undefined)]);
    if (bytes) {
      const text = bytes.toString("latin1");
      if (text.startsWith(`sandglass ${token}\n`)) return readLine(socket);
      // Each request specifies the token.
      if (PROXIED.test(text)) return serve(socket, "1.1", undefined);
    }
    const led = await place;
    if (led) await follow(socket, led, first);
    else socket.destroy();
  }

  /** Handles a connection to an outside place. */
  async function follow(socket: Socket, place: Place, first = peek(socket)): Promise<void> {
    const isSilent = SILENT_PORTS.includes(place.port);
    if (passes(place) || isSilent) first.stop();
    if (passes(place)) return pass(socket, place);
    if (isSilent) return refuse(socket, place);
    const isMail = MAIL_PORTS.includes(place.port);
    if (isMail && place.port !== 465) {
      first.stop();
      return mail.serve(socket, place, false);
    }
    const cancel = wallTimer(SILENCE_MS, () => refuse(socket, place));
    const bytes = await first.bytes;
    cancel();
    if (!bytes || socket.destroyed) return;
    const text = bytes.toString("latin1");
    if (bytes[0] === HANDSHAKE) {
      const name = placeText(place);
      const secure = secureServers.get(name) ?? openSecure(place);
      secureServers.set(name, secure);
      (await secure).emit("connection", socket);
    } else if (text.startsWith(PREFACE)) serve(socket, "2", place);
    else if (REQUEST.test(text)) serve(socket, "1.1", place);
    else refuse(socket, place);
  }

  /** A TLS server that poses as an outside place. It does not listen on a port. */
  async function openSecure(place: Place): Promise<TlsServer> {
    const secure = createTlsServer({
      ...(await authority.issue(place.host)),
      ALPNProtocols: ["h2", "http/1.1"],
      SNICallback: (name, give) =>
        void authority.issue(plainHost(name)).then((own) => give(null, createSecureContext(own)), give),
    });
    secure.on("secureConnection", (socket) => {
      socket.on("error", () => undefined);
      if (SILENT_TLS_PORTS.includes(place.port)) refuse(socket, place);
      else if (MAIL_PORTS.includes(place.port)) void mail.serve(socket, place, true);
      else serve(socket, socket.alpnProtocol === "h2" ? "2" : "1.1", place);
    });
    secure.on("tlsClientError", ({ code = "" }: NodeJS.ErrnoException) => {
      // Other clients close the connection without giving a reason, just as they do when they are done.
      if (/ALERT/.test(code)) refused(place, "untrusted");
    });
    return secure;
  }

  function take(socket: Socket, place?: Place): void {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    void (place ? follow(socket, place) : accept(socket));
  }

  const server = createServer({ noDelay: true }, (socket) => take(socket));
  // This server lives as long as the trial, but does not keep the process alive.
  const port = await listenAt(server.unref(), { port: 0, host: "127.0.0.1" });
  return {
    ...{ port, take, follow },
    isHeld: (at) => (at === undefined ? heldPorts.size > 0 : heldPorts.has(at)),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A message from the preload: a connection's destination, what it refused, or where its process listens. */
interface Said {
  from?: number;
  to?: string;
  refused?: string;
  listens?: number;
}

/** Peeks at a client's first bytes; undefined if it closes the connection or the wait ends. */
function peek(socket: Socket): { bytes: Promise<Buffer | undefined>; stop(): void } {
  const { promise: bytes, resolve } = Promise.withResolvers<Buffer | undefined>();
  const end = (read?: Buffer) => {
    socket.off("readable", look).off("close", stop).off("end", stop);
    resolve(read);
  };
  const stop = () => end();
  const look = () => {
    const read: Buffer | null = socket.read();
    if (read === null) return;
    socket.unshift(read);
    end(read);
  };
  socket.on("readable", look).once("close", stop).once("end", stop);
  return { bytes, stop };
}
