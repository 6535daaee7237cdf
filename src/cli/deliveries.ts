import { failureText } from "../story/attempt.ts";
import { formatDuration } from "../story/duration.ts";
import { type Cell, paint } from "./output.ts";

/** How an attempt ended. */
export function outcome(attempt: {
  ok: boolean;
  error: unknown;
  responseCode: unknown;
  durationMs?: number | null;
}): Cell {
  const took = typeof attempt.durationMs === "number" ? ` in ${formatDuration(attempt.durationMs)}` : "";
  return attempt.ok
    ? { text: `delivered, ${String(attempt.responseCode)}${took}`, color: paint.green }
    : { text: `failed, ${failureText(attempt.error, attempt.responseCode)}${took}`, color: paint.red };
}
