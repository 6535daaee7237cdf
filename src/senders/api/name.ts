import type { AreaFace } from "../../http/area.ts";
import { refusalText } from "../../http/refusals.ts";

/** The path of the senders' APIs, without slashes. */
export const SENDERS = "senders";

/** The header with which a trial marks a call, to find out later what it created. */
export const MARK_HEADER = "x-sandbox-mark";

/** How to reject a request before its sender is known. A sender's API keys belong on a server. */
export const SENDERS_FACE: AreaFace = {
  name: SENDERS,
  forServers: true,
  refusals: { body: (refusal) => ({ error: { message: refusalText(refusal) } }) },
};
