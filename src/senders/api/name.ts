import type { AreaFace } from "../../http/area.ts";
import { refusalText } from "../../http/refusals.ts";

/** The path of the APIs of senders, without slashes. */
export const SENDERS = "senders";

/** How they refuse a request before a sender is looked for: their keys belong on a server. */
export const SENDERS_FACE: AreaFace = {
  name: SENDERS,
  forServers: true,
  refusals: { body: (refusal) => ({ error: { message: refusalText(refusal) } }) },
};
