import type { AreaFace } from "../../http/area.ts";
import { refusalText } from "../../http/refusals.ts";

/** The path of the APIs of senders, without slashes. */
export const SENDERS = "senders";

/** A header with which a trial marks a call, to find out what that call has made. */
export const MARK_HEADER = "x-sandbox-mark";

/** The form of refusals before a sender is known: senders' keys belong on a server. */
export const SENDERS_FACE: AreaFace = {
  name: SENDERS,
  forServers: true,
  refusals: { body: (refusal) => ({ error: { message: refusalText(refusal) } }) },
};
