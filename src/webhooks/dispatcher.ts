import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Agent } from "../runtime/agent.ts";
import { loadOnce } from "../runtime/load-once.ts";
import { plainAddress } from "../runtime/plain-address.ts";
import { trustedContext } from "../runtime/trusted.ts";
import type { SocketAddress } from "./context.ts";
import { Exchange, type Sending, type SendRequest } from "./exchange.ts";
import { BLOCKED, MAX_HEADER_BYTES, notOwnAddress, statusError } from "./failures.ts";

/** The maximum number of open requests per endpoint. Others wait, so one slow subscriber does not delay the rest. */
const OPEN_PER_ENDPOINT = 64;
/** Idle connections close before common servers would close them, so no attempt uses a dead one. */
const KEEP_ALIVE_MS = 1_000;
const CONNECT_TIMEOUT_MS = 30_000;

/** The requests of one endpoint: a limited number are open, the rest wait. */
interface Lane {
  open: number;
  waiting: Exchange[];
  /** Resolves once the latest open request has been written. The next request then follows on any connection. */
  left: Promise<unknown>;
}

/** The agent's key for a sandbox without a port; the others are keyed by address. */
const INSIDE = "inside";
const ANYWHERE = "anywhere";

/**
 * Sends real HTTP requests to subscribers, through undici agents that user code cannot patch.
 * @param inside the socket of a sandbox without a port
 */
export function createDispatcher(inside?: SocketAddress) {
  /** Load undici at the first request to keep start-up fast. */
  const agentMaker = loadOnce(loadAgentMaker);
  /** Agents, keyed by the single address that they connect to, because an agent shares its connections. */
  const agents = new Map<string, Agent>();
  const lanes = new Map<string, Lane>();

  async function loadAgentMaker() {
    const { Agent } = await import("../runtime/agent.ts");
    return (connect: ConstructorParameters<typeof Agent>[0]["connect"]) =>
      new Agent({
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: MAX_HEADER_BYTES,
        statusError,
        connect: { timeout: CONNECT_TIMEOUT_MS, ...connect },
      });
  }

  async function findAgent({ origin, onlyTo }: SendRequest): Promise<Agent> {
    const makeAgent = await agentMaker.get();
    const own = inside !== undefined && origin === inside.origin;
    const secure = origin.startsWith("https:");
    const name = `${secure} ${own ? INSIDE : (onlyTo ?? ANYWHERE)}`;
    let agent = agents.get(name);
    if (!agent) {
      const reach = onlyTo === undefined ? lookup : lookupOnly(onlyTo);
      agent = makeAgent({
        ...(own ? { socketPath: inside.socketPath } : { lookup: reach }),
        // Loading Node's trusted certificates takes a tenth of a second.
        ...(secure && trustedContext()),
      });
      agents.set(name, agent);
    }
    return agent;
  }

  function laneOf(name: string): Lane {
    let lane = lanes.get(name);
    if (!lane) {
      lane = { open: 0, waiting: [], left: Promise.resolve() };
      lanes.set(name, lane);
    }
    return lane;
  }

  function start(exchange: Exchange, lane: Lane): void {
    void exchange.result.then(() => free(exchange.message.lane, lane));
    const started = findAgent(exchange.message).then((agent) => {
      exchange.start();
      return agent;
    });
    lane.left = Promise.all([started, lane.left]).then(
      ([agent]) => exchange.send(agent),
      (error: Error) => exchange.fail(error),
    );
  }

  function free(name: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next) start(next, lane);
    else lane.open -= 1;
    if (lane.open === 0) lanes.delete(name);
  }

  return {
    /**
     * Sends a request once its lane has room, after the lane's earlier requests, without waiting for their responses.
     */
    send(message: SendRequest): Sending {
      const exchange = new Exchange(message);
      const lane = laneOf(message.lane);
      if (lane.open < OPEN_PER_ENDPOINT) {
        lane.open += 1;
        start(exchange, lane);
      } else lane.waiting.push(exchange);
      return exchange;
    },
    close(): void {
      void agentMaker.started?.then(
        () => {
          for (const agent of agents.values()) void agent.destroy().catch(() => undefined);
        },
        () => undefined,
      );
    },
  };
}

/** All names under localhost mean this machine, regardless of the system's resolver. */
export const lookup: LookupFunction = (hostname, options, callback) => {
  if (hostname === "localhost" || hostname.endsWith(".localhost")) {
    const addresses = [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ];
    if (options.all) callback(null, addresses);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
    return;
  }
  void import("node:dns").then((dns) => dns.lookup(hostname, options, callback));
};

/** Resolves names only if one of their addresses is the allowed one. */
const lookupOnly =
  (only: string): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const own = error
        ? undefined
        : (found as LookupAddress[]).find((one) => plainAddress(one.address) === only);
      const refused = Object.assign(new Error(notOwnAddress(hostname)), { code: BLOCKED });
      if (!own) callback(error ?? refused, "");
      else if (options.all) callback(null, [own]);
      else callback(null, own.address, own.family);
    });
