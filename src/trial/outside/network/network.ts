import { createServer, type Server, type Socket } from "node:net";
import { listenAt } from "../../../runtime/listen.ts";
import {
  listeningSockets,
  openingSockets,
  socketCounts,
  type TcpSocket,
  WILDCARDS,
} from "../../../runtime/socket-table.ts";
import { wallTimer } from "../../../world/clock.ts";
import { joinSockets } from "../../statements/forward.ts";
import type { Place } from "../hosts.ts";
import type { Holder } from "./holder.ts";
import { createNameServer } from "./names.ts";

/**
 * A separate network for a started server (`unshare --net`). Its only interface is loopback, which accepts connections
 * to every address: the services on this machine's loopback are available there, too, and a connection to any other
 * place is handed to the trial. Programs in any language can therefore reach nothing else, and do not notice.
 */
export interface Network extends Pick<Holder, "enter" | "pid" | "close"> {
  /** Makes the ports on which each side currently listens available on the other side. */
  join(): Promise<void>;
  /** Makes the ports on which the server currently listens available on this machine. Costs little if nothing changed. */
  look(): Promise<void>;
  /** Whether a port of this machine is currently taken because a process in the network listens on it. */
  shows(port: number): boolean;
  /** Whether a process in the network has been observed to listen on a port; by default, on any port. */
  isHeld(port?: number): boolean;
}

export interface NetworkOptions {
  /** The server's port, which must stay free in its network. */
  port: number | undefined;
  /** Serves a connection that was opened in the network. @param place where its client believes it is connected */
  enter(socket: Socket, place: Place): void;
  /** Reports a place whose connections cannot be served. */
  refused(place: Place): void;
}

/**
 * How often to look for new ports and connections in the network, in real milliseconds: several times before a client
 * retries a connection for the first time, after one second.
 */
const LOOK_MS = 200;
/** One in this many checks also reads this machine's socket table, and the network's even if nothing seems to have changed. */
const LOOKS_A_JOIN = 15;
/**
 * Ports on which connections to any address are accepted immediately. On other ports, the connection has to be noticed
 * first, and waits for about a second.
 */
const USUAL_PORTS = [25, 80, 443, 465, 587];
const NAME_PORT = 53;
/** An address that is never assigned to a name, used to test whether connections arrive. */
const NOWHERE = "198.19.255.255";

/** The priority of all rules. A packet that matches no rule is dropped, so its sender keeps retrying. */
const FIRST = 1;
const rule = (of: string, does = "lookup local") => `rule add pref ${FIRST} ${of} ${does}`;
const toPort = (port: number) => `ipproto tcp dport ${port}`;

const nameOf = ({ host, port }: Place): string => `${host} ${port}`;
const isLoopback = (host: string): boolean => host.startsWith("127.") || host === "::1";

/**
 * Opens a network for a server.
 * @param starting the process that holds it
 * @throws Error with the reason if the system does not allow it
 */
export async function openNetwork(
  starting: Promise<Holder>,
  { port, enter, refused }: NetworkOptions,
): Promise<Network> {
  const names = createNameServer();
  const holder = await starting;
  const { pid } = holder;
  const usual = USUAL_PORTS.filter((one) => one !== port);
  /**
   * The servers that listen in the network for services on this machine, and those that listen here for services in the
   * network.
   */
  const [inward, outward] = [new Map<string, Server>(), new Map<string, Server>()];
  /** Outside places that the server has tried to reach, on ports other than the usual ones. */
  const wanted = new Set<string>();
  /** Everything that is listening. It keeps the network alive, as a process would. */
  const servers = new Set<{ close(): unknown }>();
  const sockets = new Set<Socket>();
  const held = new Set<number>();
  let isClosed = false;

  /** Accepts connections to a place in the network. */
  async function take(place: Place): Promise<Server> {
    const server = await holder.listen(place);
    server.on("connection", (socket) => {
      socket.setNoDelay(true);
      enter(socket, { host: names.nameOf(socket.localAddress!), port: socket.localPort! });
    });
    servers.add(server.unref());
    return server;
  }

  /** Listens on this machine on behalf of a place in the network. */
  async function show(place: Place): Promise<Server> {
    const { host, port: at } = place;
    const isWildcard = WILDCARDS.includes(host);
    if (!isWildcard && !isLoopback(host))
      await holder.configure([rule(`to ${host} ${toPort(at)}`)]).catch(() => undefined);
    const inner = { host: isWildcard ? "127.0.0.1" : host, port: at };
    const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
      track(socket);
      holder.connect(inner).then(
        (own) => joinSockets(socket, track(own)),
        () => socket.resetAndDestroy(),
      );
    });
    servers.add(server);
    await listenAt(server, { host, port: at });
    server.unref();
    held.add(at);
    if (isClosed) server.close();
    return server;
  }

  function track(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
  }

  /** Starts to accept connections to places where nothing responds yet, once a connection attempt is noticed. */
  async function meet(sockets: readonly TcpSocket[]): Promise<void> {
    for (const { remote, state } of sockets) {
      if (state !== "connecting") continue;
      const { host, port: at } = remote;
      if (wanted.has(nameOf(remote)) || usual.includes(at) || isLoopback(host) || host.includes(":"))
        continue;
      wanted.add(nameOf(remote));
      const to = `to ${host} ${toPort(at)}`;
      try {
        await take(remote);
        await holder.configure([rule(to)]);
      } catch {
        // The server itself listens on this port at all addresses.
        refused({ host: names.nameOf(host), port: at });
        await holder.configure([rule(to, "unreachable")]).catch(() => undefined);
      }
    }
  }

  /** Where the server's processes listen. */
  const listeningIn = (inside: readonly TcpSocket[]) =>
    inside.filter(
      (one) =>
        one.state === "listening" &&
        !inward.has(nameOf(one)) &&
        !wanted.has(nameOf(one)) &&
        !usual.includes(one.port),
    );

  let counts: string | undefined;
  async function lookNow(always = false): Promise<void> {
    const now = socketCounts(pid);
    if (!always && now !== undefined && now === counts) return;
    // Counted before the sockets are read, so that no socket that is opened in the meantime is missed.
    counts = now;
    const inside = openingSockets(pid);
    await mirror(outward, listeningIn(inside), [], show);
    await meet(inside);
  }

  async function joinNow(): Promise<void> {
    const machine = listeningSockets().filter((one) => !outward.has(nameOf(one)));
    const services = machine.flatMap(loopbackPlaces).filter((one) => !usual.includes(one.port));
    await mirror(inward, services, listeningIn(openingSockets(pid)), take);
    // The sockets must be read again: those of services that have ended would look like the server's own.
    await lookNow(true);
  }

  let turn = Promise.resolve();
  /** Runs tasks one after another. */
  function queue(work: () => Promise<void>): Promise<void> {
    turn = turn.catch(() => undefined).then(work);
    return turn;
  }
  const [join, look] = [() => queue(joinNow), () => queue(lookNow)];

  let cancel = (): void => {};
  function watch(looks = 1): void {
    if (isClosed) return;
    const next = () => watch(looks + 1);
    cancel = wallTimer(LOOK_MS, () => void (looks % LOOKS_A_JOIN === 0 ? join() : look()).then(next, next));
  }

  function close(): void {
    isClosed = true;
    cancel();
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
    holder.close();
  }

  try {
    await holder.configure([
      // Every address is local for a packet that matches a rule. Any other packet is dropped.
      "route add local default dev lo src 127.0.0.1 table local",
      "route add default dev lo src 127.0.0.1",
      rule("to 127.0.0.0/8"),
      rule(`ipproto udp dport ${NAME_PORT}`),
      ...usual.map((one) => rule(toPort(one))),
      "rule del pref 0",
    ]);
    for (const host of names.addresses) {
      const socket = await holder.bind({ host, port: NAME_PORT });
      servers.add(socket);
      socket.unref().on("message", (question, { port: from, address }) => {
        void names.answer(question).then((answer) => {
          if (answer && !isClosed) socket.send(answer, from, address);
        });
      });
    }
    for (const one of usual) await take({ host: "0.0.0.0", port: one });
    await join();
    (await holder.connect({ host: NOWHERE, port: usual[1]! })).destroy();
  } catch (error) {
    close();
    throw error;
  }
  watch();
  return {
    ...{ enter: holder.enter, pid, join, look, close },
    shows: (at) => [...outward.keys()].some((name) => name.endsWith(` ${at}`)),
    isHeld: (at) => (at === undefined ? held.size > 0 : held.has(at)),
  };
}

/** The loopback places at which one of this machine's sockets accepts connections. */
const loopbackPlaces = ({ host, port }: Place): Place[] =>
  (host === "0.0.0.0" ? ["127.0.0.1"] : host === "::" ? ["127.0.0.1", "::1"] : [host])
    .filter(isLoopback)
    .map((own) => ({ host: own, port }));

const overlaps = (one: Place, other: Place): boolean =>
  one.port === other.port &&
  (one.host === other.host || WILDCARDS.includes(one.host) || WILDCARDS.includes(other.host));

/**
 * Opens a server for each place on the other side, and closes the servers for places that no longer exist.
 * @param taken the places where this side itself listens
 */
async function mirror(
  mirrors: Map<string, Server>,
  places: readonly Place[],
  taken: readonly Place[],
  open: (place: Place) => Promise<Server>,
): Promise<void> {
  const now = new Map(places.map((place) => [nameOf(place), place]));
  for (const [name, server] of mirrors)
    if (!now.has(name)) {
      server.close();
      mirrors.delete(name);
    }
  for (const [name, { host, port }] of now) {
    const place = { host, port };
    if (mirrors.has(name) || taken.some((one) => overlaps(one, place))) continue;
    // Another program may have taken the port since.
    const server = await open(place).catch(() => undefined);
    if (server) mirrors.set(name, server);
  }
}
