import type { World } from "../world/world.ts";
import type { FileSender } from "./described.ts";
import type { Senders } from "./senders.ts";

/** The allowed targets of deliveries, and how they are sent. */
export interface WebhookSettings {
  /** Hosts other than loopback that may be called over plain http. */
  allowHttpHosts: readonly string[];
  /** Whether deliveries may leave the machine. */
  allowExternal: boolean;
  /** The socket of a sandbox without a port, for deliveries to its own address. */
  inside?: SocketAddress | undefined;
  /** Senders of loaded files; more may be added while the sandbox runs. */
  senders?: FileSender[] | undefined;
  /** The signing secret of every new endpoint; by default, each has its own. */
  secret?: string | undefined;
  /** The signing secret of every new endpoint of a file's sender. */
  subscriberSecret?: string | undefined;
}

/** An address that no name service resolves, and the socket behind it. */
export interface SocketAddress {
  /** `http://sandglass.localhost`, without a trailing slash. */
  origin: string;
  socketPath: string;
}

/** The context of the engine's parts. */
export interface EngineContext {
  world: World;
  settings: WebhookSettings;
  /** The address of this world, without a trailing slash: `http://127.0.0.1:4400`, with `/w/{name}` if it has one. */
  origin(): string;
  /** The address of this world within this process, which differs from `origin` behind a proxy or in a container. */
  ownOrigin(): string;
  senders: Senders;
}
