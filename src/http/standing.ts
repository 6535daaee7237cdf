import type { IncomingMessage } from "node:http";
import { isThisMachine } from "./loopback.ts";

const standing = Symbol("standing");

/** The rights of a request's sender. The guard finds them out before anything else reads the request. */
export interface Standing {
  /** Whether it is a program or a page of this machine, by its connection and by the host that it named. */
  local: boolean;
  /** Set for a sender on another machine that has not shown the token of the sandbox. */
  guest: Guest | undefined;
}

/** A caller whose endpoints reach only the sandbox itself and the caller's own address. */
export interface Guest {
  /** Empty behind a proxy on this machine, where all callers have this machine's address. */
  address: string;
  /** Whether there is a token. Without one, the hosts that the configuration lists are reached, too. */
  shared: boolean;
}

type Met = IncomingMessage & { [standing]?: Standing };

export function setStanding(request: IncomingMessage, found: Standing): void {
  (request as Met)[standing] = found;
}

export const standingOf = ({ raw }: { raw: IncomingMessage }): Standing => (raw as Met)[standing]!;

/** The sender at an address as a guest. */
export const guestAt = (address: string | undefined, shared: boolean): Guest => ({
  address: isThisMachine(address) ? "" : plainAddress(address!),
  shared,
});

/** The IPv4 address inside an IPv6 one; an IPv6 address without its zone, which only this machine knows. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:|%.*$/g, "");
