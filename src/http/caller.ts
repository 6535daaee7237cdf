import type { Guest } from "./standing.ts";

/** Who asks for a change, for permission and audit. Dashboard actions come from the control API and have no key. */
export interface Caller {
  /** The account that is changed: an organization of the platform, or a sender's name. */
  org: string;
  ip: string;
  method: string;
  path: string;
  /** Set for a caller whose endpoints reach only the sandbox and the caller's own address. */
  guest?: Guest | undefined;
}
