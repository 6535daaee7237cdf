import type { IncomingMessage } from "node:http";
import { isThisMachine } from "./loopback.ts";

const standing = Symbol("standing");

/** What a request's sender is allowed to do. The guard determines this before anything else reads the request. */
export interface Standing {
  /** Whether the sender is a program or page on this machine, judging by the connection and the Host header. */
  local: boolean;
  /** Set for a sender on another machine that has not presented the sandbox's token. */
  guest: Guest | undefined;
}

/** A caller whose endpoints may reach only the sandbox itself and the caller's own address. */
export interface Guest {
  /** Empty behind a proxy on this machine, where every caller has this machine's address. */
  address: string;
  /** Whether there is a token. Without one, the configured hosts are also reachable. */
  shared: boolean;
}

type Met = IncomingMessage & { [standing]?: Standing };

export function setStanding(request: IncomingMessage, found: Standing): void {
  (request as Met)[standing] = found;
}

export const standingOf = ({ raw }: { raw: IncomingMessage }): Standing => (raw as Met)[standing]!;

export const guestAt = (address: string | undefined, shared: boolean): Guest => ({
  address: isThisMachine(address) ? "" : plainAddress(address!),
  shared,
});

/** The IPv4 address inside an IPv6 one; for an IPv6 address, removes the zone, which has a meaning only on this machine. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:|%.*$/g, "");
