import type { World } from "../world/world.ts";
import type { WrapCourier } from "./courier.ts";
import type { FileSender } from "./described.ts";
import type { Sender } from "./sender.ts";

/** Where deliveries may go, and how. */
export interface WebhookSettings {
  /** Hosts beside loopback that may be named with plain http, and be connected to. */
  allowHttpHosts: readonly string[];
  /** Whether deliveries may leave the machine. */
  allowExternal: boolean;
  /** Where the sandbox itself is when it has no port: what is sent to its own address goes through this socket. */
  inside?: SocketAddress | undefined;
  /** Senders of files that were loaded: more may be added while the sandbox runs. */
  senders?: FileSender[] | undefined;
  /** Stands between attempts and what sends them. */
  courier?: WrapCourier | undefined;
}

/** An address that no name service knows, and the socket behind it. */
export interface SocketAddress {
  /** `http://sandglass.localhost`, without a trailing slash. */
  origin: string;
  socketPath: string;
}

/** What the engine's parts are made from. */
export interface EngineContext {
  world: World;
  settings: WebhookSettings;
  /** Where this world is served, without a trailing slash: `http://127.0.0.1:4400`, with `/w/{name}` if it has one. */
  origin(): string;
  /** Where this process reaches that itself, which differs from `origin` behind a proxy or in a container. */
  ownOrigin(): string;
  /** The sender of the area that the engine is wired into. */
  mainSender: Sender;
  /** The sender of that name. */
  senderOf(name: string): Sender;
}
