import type { FaultPlan } from "../../world/faults.ts";
import type { SendResult } from "./exchange.ts";
import { type DeliveryError, FAILURE_WORDS, judge } from "./failures.ts";

export const SUBSCRIBER_FAULTS = [
  "status",
  "timeout",
  "refused",
  "reset",
  "dns",
  "tls",
  "redirect",
  "slow_body",
  "truncated",
  "garbage",
] as const;
export type SubscriberFaultKind = (typeof SUBSCRIBER_FAULTS)[number];

/** How a subscriber is made to fail. See docs/guide/faults.md, "A subscriber". */
export interface SubscriberFault extends FaultPlan {
  kind?: SubscriberFaultKind;
  /** The status to answer, for kind `status`. */
  status?: number;
  /** What happens at each attempt: a status or a kind. */
  sequence?: (number | SubscriberFaultKind)[];
  /** Calls the real subscriber as well; its answer is dropped. */
  passThrough?: boolean;
}

export const faultTarget = (webhookId: string): string => `webhook:${webhookId}`;

/** The fault for one attempt, as the delivery's record names it: `status:503`, `timeout`. */
export function faultName(fault: SubscriberFault, step: number): string {
  const planned = fault.sequence?.[step] ?? fault.kind ?? "status";
  if (typeof planned === "number") return `status:${planned}`;
  return planned === "status" ? `status:${fault.status ?? 500}` : planned;
}

const SIMULATED: Record<
  Exclude<SubscriberFaultKind, "status">,
  [DeliveryError, responseCode: number | null, detail: string | null]
> = {
  timeout: ["timeout", null, null],
  refused: ["connection_refused", null, `${FAILURE_WORDS.refused} (ECONNREFUSED)`],
  reset: ["connection_reset", null, `${FAILURE_WORDS.reset} (ECONNRESET)`],
  dns: ["dns", null, `${FAILURE_WORDS.dns} (ENOTFOUND)`],
  tls: ["tls", null, `${FAILURE_WORDS.tls} (DEPTH_ZERO_SELF_SIGNED_CERT)`],
  redirect: ["redirect", 302, "answered 302"],
  slow_body: ["timeout", 200, null],
  truncated: [
    "invalid_response",
    200,
    "answered 200, but the answer ended before the length that Content-Length names",
  ],
  garbage: ["invalid_response", null, FAILURE_WORDS.garbage],
};

/** The result a simulated fault stands for. It costs no real time. */
export function simulate(name: string): SendResult {
  const base = { responseHeaders: null, responseBody: null, responseSize: null, durationMs: 0 };
  if (name.startsWith("status:")) {
    const responseCode = Number(name.slice("status:".length));
    return { ...base, ...judge(responseCode), responseCode };
  }
  const [error, responseCode, detail] = SIMULATED[name as keyof typeof SIMULATED];
  return { ...base, error, responseCode, detail };
}
