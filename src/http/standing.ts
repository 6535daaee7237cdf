import type { IncomingMessage } from "node:http";
import { isThisMachine } from "./loopback.ts";

const standing = Symbol("standing");

/** What the sender of a request may do. The guard finds it out before anything else looks at the request. */
export interface Standing {
  /** It is a program or a page of this machine, by its connection and by the host that it named. */
  local: boolean;
  /** Set for a sender on another machine that has not shown the token of the sandbox. */
  guest: Guest | undefined;
}

/** A caller whose endpoints reach the sandbox itself and the caller's own address, and nothing else. */
export interface Guest {
  /** Empty behind a proxy on this machine, where all callers have this machine's address. */
  address: string;
  /** Whether there is a token to show. Without one, the hosts that the configuration lists are reached, too. */
  shared: boolean;
}

type Met = IncomingMessage & { [standing]?: Standing };

/** Notes what the sender of a request may do. */
export function setStanding(request: IncomingMessage, found: Standing): void {
  (request as Met)[standing] = found;
}

/** What the sender of a request may do. */
export const standingOf = ({ raw }: { raw: IncomingMessage }): Standing => (raw as Met)[standing]!;

/** The sender at an address as a guest. */
export const guestAt = (address: string | undefined, shared: boolean): Guest => ({
  address: isThisMachine(address) ? "" : plainAddress(address!),
  shared,
});

/** An IPv4 address that came over IPv6 as itself; an IPv6 address without its zone, which only this machine knows. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:|%.*$/g, "");
