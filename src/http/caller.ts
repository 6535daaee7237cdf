import type { Guest } from "./standing.ts";

/**
 * Who requested a change, for permissions and the audit log. Dashboard actions come through the control API and have no key.
 */
export interface Caller {
  /** The account to change: an organization of the platform, or a sender's name. */
  org: string;
  ip: string;
  method: string;
  path: string;
  /** Set for a caller whose endpoints may use only the sandbox's and the caller's own addresses. */
  guest?: Guest | undefined;
}
