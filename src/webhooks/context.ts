import type { World } from "../world/world.ts";
import type { FileSender } from "./described.ts";
import type { Senders } from "./senders.ts";

/** Where deliveries may go, and how they are sent. */
export interface WebhookSettings {
  /** Hosts other than loopback that may be called over plain http. */
  allowHttpHosts: readonly string[];
  allowExternal: boolean;
  /** The socket of a sandbox without a port, for deliveries to the sandbox itself. */
  inside?: SocketAddress | undefined;
  /** Senders loaded from files; more can be added while the sandbox runs. */
  senders?: FileSender[] | undefined;
  /** The signing secret of all new endpoints; by default, each gets its own. */
  secret?: string | undefined;
  /** The signing secret of all new endpoints of senders loaded from files. */
  subscriberSecret?: string | undefined;
}

/** An address that DNS does not resolve, and the socket behind it. */
export interface SocketAddress {
  /** `http://sandglass.localhost`, without a trailing slash. */
  origin: string;
  socketPath: string;
}

export interface EngineContext {
  world: World;
  settings: WebhookSettings;
  /** The address of this world, without a trailing slash: `http://127.0.0.1:4400`, with `/w/{name}` if it has one. */
  origin(): string;
  /** This world's address within this process, which differs from `origin` behind a proxy or in a container. */
  ownOrigin(): string;
  senders: Senders;
}
