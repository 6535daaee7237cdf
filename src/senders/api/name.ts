import type { AreaFace } from "../../http/area.ts";
import { refusalText } from "../../http/refusals.ts";

/** The path of the senders' APIs, without slashes. */
export const SENDERS = "senders";

/** The header with which a trial tags a call, to find out what it created. */
export const MARK_HEADER = "x-sandbox-mark";

/** How to refuse a request before its sender is known. Senders' keys belong on a server. */
export const SENDERS_FACE: AreaFace = {
  name: SENDERS,
  forServers: true,
  refusals: { body: (refusal) => ({ error: { message: refusalText(refusal) } }) },
};
