import type { TimelineAttempt } from "./schemas.ts";

type Result = Pick<TimelineAttempt, "status" | "response_code" | "error">;

export type MarkTone = "good" | "bad" | "pending" | "none";

const TONES = { pending: "pending", success: "good", failed: "bad" } as const;

export const attemptTone = (status: TimelineAttempt["status"]): MarkTone => TONES[status];

const NAMES: Partial<Record<TimelineAttempt["trigger"], (attempt: number) => string>> = {
  manual: (attempt) => `${attempt}, by hand`,
  test: () => "test",
  resend: () => "resend",
};

/** An attempt's name in a table cell: `2`, `2, by hand`, `test`, `resend`. */
export const attemptName = (attempt: number, trigger: TimelineAttempt["trigger"]): string =>
  NAMES[trigger]?.(attempt) ?? String(attempt);

const LETTERS: Record<NonNullable<Result["error"]>, string> = {
  status: "ERR",
  timeout: "T/O",
  connection_refused: "REF",
  connection_reset: "RST",
  dns: "DNS",
  tls: "TLS",
  redirect: "3xx",
  invalid_response: "BAD",
  blocked_by_network_policy: "BLK",
  endpoint_deleted: "DEL",
};

/** An attempt's result in at most three characters. */
export function attemptCode({ status, response_code: code, error }: Result): string {
  if (status === "pending") return "…";
  if (error === "timeout" || code === null) return LETTERS[error ?? "status"];
  return String(code);
}

/** An attempt's result as the end of a sentence. */
export function attemptResult({ status, response_code: code, error }: Result): string {
  if (status === "pending") return "is waiting for its response";
  if (status === "success") return `succeeded with ${code}`;
  if (error === "timeout") return "timed out";
  return code === null ? `failed: ${failureText(error ?? "unknown", null)}` : `failed with ${code}`;
}

export const TLS_ADVICE =
  "Make Node trust the subscriber's certificate: start Sandglass with NODE_EXTRA_CA_CERTS=ca.pem. Or use the subscriber's http address, if it has one.";

/** Why an attempt failed: `status 503`, `timeout`, `connection refused`. */
export function failureText(error: unknown, responseCode: unknown): string {
  if (error === "tls") return "no trusted TLS connection";
  const words = String(error).replaceAll("_", " ");
  return typeof responseCode === "number" ? `${words} ${responseCode}` : words;
}

/** Why an attempt was skipped: `the endpoint was disabled`, `the event was delivered`. */
export function skipText(reason: string): string {
  const [, state] = /^endpoint_([a-z]+)$/.exec(reason) ?? [];
  if (state !== undefined) return `the endpoint was ${state}`;
  return reason === "delivered" ? "the event was delivered" : reason.replaceAll("_", " ");
}

/** The name of the built-in inbox at a URL; undefined for any other subscriber. */
export const inboxOf = (url: string): string | undefined =>
  /\/_sandbox\/inbox\/([A-Za-z0-9._-]+)$/.exec(url)?.[1];
