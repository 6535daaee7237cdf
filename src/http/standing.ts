import type { IncomingMessage } from "node:http";
import { plainAddress } from "../runtime/plain-address.ts";
import { isThisMachine } from "./loopback.ts";

const standing = Symbol("standing");

/** What the sender of a request is allowed to do. The guard determines this before anything else reads the request. */
export interface Standing {
  /** Whether the sender is a program or page on this machine, judging by the connection and the Host header. */
  local: boolean;
  /** Set if the sender is on another machine and has not presented the sandbox's token. */
  guest: Guest | undefined;
}

/** Identifies a caller whose endpoints may use only the sandbox's and the caller's own addresses. */
export interface Guest {
  /** The caller's address; empty behind a proxy on this machine, where every caller has this machine's address. */
  address: string;
  /** Whether the sandbox has a token. Without one, the configured hosts are also reachable. */
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
