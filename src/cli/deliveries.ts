import type { Delivery } from "../library/index.ts";
import { failureText, TLS_ADVICE } from "../timeline/attempt.ts";
import { formatDuration } from "../timeline/duration.ts";
import { type Cell, paint } from "./output.ts";

/** How a delivery ended, or that it has not yet. */
export const deliveryOutcome = (
  delivery: Pick<Delivery, "status" | "error" | "response_code" | "duration_ms">,
): Cell =>
  delivery.status === "pending"
    ? { text: "not answered yet", color: paint.yellow }
    : outcome({
        ok: delivery.status === "success",
        error: delivery.error,
        responseCode: delivery.response_code,
        durationMs: delivery.duration_ms,
      });

/**
 * What outcomes leave out: which rule of HTTP an answer broke, and what to do about a server whose certificate is not trusted.
 * A fault fails deliveries to other servers in the same way.
 */
export function deliveryAdvice(
  deliveries: readonly { error?: unknown; error_detail?: string | null; url: string }[],
): string[] {
  const broken = deliveries.filter(({ error }) => error === "invalid_response");
  const isUntrusted = deliveries.some(({ error, url }) => error === "tls" && url.startsWith("https:"));
  return [
    ...new Set(broken.flatMap(({ error_detail: detail, url }) => (detail ? [`${url}: ${detail}`] : []))),
    ...(isUntrusted ? [TLS_ADVICE] : []),
  ];
}

/** How an attempt ended. */
export function outcome(attempt: {
  ok: boolean;
  error: unknown;
  responseCode: unknown;
  durationMs?: number | null;
}): Cell {
  const { ok, durationMs } = attempt;
  // A fault answers in no real time, in place of the subscriber.
  const isMeasured = typeof durationMs === "number" && (ok || durationMs > 0);
  const took = isMeasured ? ` in ${formatDuration(durationMs)}` : "";
  return ok
    ? { text: `delivered, ${String(attempt.responseCode)}${took}`, color: paint.green }
    : { text: `failed, ${failureText(attempt.error, attempt.responseCode)}${took}`, color: paint.red };
}
