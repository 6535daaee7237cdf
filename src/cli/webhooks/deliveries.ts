import type { Delivery } from "../../library/index.ts";
import { failureText, TLS_ADVICE } from "../../timeline/attempt.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { instant } from "../../timeline/instant.ts";
import { type Cell, paint } from "../output.ts";

/** How a delivery ended, or a note that it is still in progress. */
export function deliveryOutcome({
  status,
  error,
  response_code: code,
  duration_ms: duration,
}: Pick<Delivery, "status" | "error" | "response_code" | "duration_ms">): Cell {
  if (status === "pending") return { text: "no response yet", color: paint.yellow };
  const ok = status === "success";
  // A fault replaces the subscriber's response, and takes no real time.
  const took = duration !== null && (ok || duration > 0) ? ` in ${formatDuration(duration)}` : "";
  return ok
    ? { text: `delivered, ${code}${took}`, color: paint.green }
    : { text: `failed, ${failureText(error, code)}${took}`, color: paint.red };
}

/** A delivery as a row: event, endpoint, result and next attempt. */
export const deliveryCells = (
  delivery: Parameters<typeof deliveryOutcome>[0] & Pick<Delivery, "event" | "url" | "next_attempt_at">,
): Cell[] => [
  delivery.event,
  { text: "to", color: paint.dim },
  delivery.url,
  deliveryOutcome(delivery),
  delivery.next_attempt_at === null ? "" : `next attempt ${instant(delivery.next_attempt_at)}`,
];

/**
 * Additional advice, for example which HTTP rule a response violated, or how to make the sandbox trust the server's
 * certificate. Faults can simulate TLS failures even at http endpoints, which need no such advice.
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
