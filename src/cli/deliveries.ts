import { formatDuration } from "../world/duration.ts";
import { type Cell, paint } from "./output.ts";

/** Why an attempt failed, as a few words: `status 503`, `timeout`. */
export function failure(error: unknown, responseCode: unknown): string {
  const words = String(error).replaceAll("_", " ");
  return typeof responseCode === "number" ? `${words} ${responseCode}`.trim() : words;
}

/** What became of an attempt. */
export function outcome(attempt: {
  ok: boolean;
  error: unknown;
  responseCode: unknown;
  durationMs?: number | null;
}): Cell {
  const took = typeof attempt.durationMs === "number" ? ` in ${formatDuration(attempt.durationMs)}` : "";
  return attempt.ok
    ? { text: `delivered, ${String(attempt.responseCode)}${took}`, color: paint.green }
    : { text: `failed, ${failure(attempt.error, attempt.responseCode)}${took}`, color: paint.red };
}
