import { misuse } from "../errors/errors.ts";
import type * as timeline from "../timeline/fault-steps.ts";
import type { DeliveryError } from "../timeline/shapes.ts";
import type { FaultPlan } from "../world/faults.ts";
import { NO_ANSWER, type SendResult } from "./exchange.ts";
import { FAILURE_WORDS, isSuccess, judge } from "./failures.ts";

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
  "interrupted",
] as const;
export type SubscriberFaultKind = (typeof SUBSCRIBER_FAULTS)[number];

/** The step at which the subscriber is called normally. */
export const DELIVER = "deliver";

/** What happens at one attempt. */
export type FaultEffect = timeline.FaultEffect<SubscriberFaultKind>;

/** A step of a sequence. An effect only lists fields that differ from the fault's own. */
export type FaultStep = number | SubscriberFaultKind | typeof DELIVER | FaultEffect;

/** A simulated failure of a subscriber. See docs/guide/faults.md, "A subscriber". */
export interface SubscriberFault extends FaultPlan, FaultEffect {
  /** What happens at each attempt. */
  sequence?: FaultStep[];
}

/**
 * Rejects a status combined with another kind, because such a fault would never respond with the status.
 * @throws SandboxError `bad_request`
 */
export function checkFault({ sequence = [], ...own }: SubscriberFault): void {
  for (const [index, step] of [own, ...sequence].entries()) {
    if (typeof step !== "object") continue;
    const { kind = "status", status } = step;
    if (kind === "status" || status === undefined) continue;
    throw misuse(
      `${index === 0 ? "status" : `sequence[${index - 1}].status`} is ${status}, but the kind ${kind} has no status.`,
      "Omit 'status', or set the kind to 'status'.",
    );
  }
}

export const faultTarget = (webhookId: string): string => `webhook:${webhookId}`;

export interface AttemptFault {
  /** For example `status:503` or `timeout`. */
  name: string;
  /** Whether the subscriber is also called: at once, or with the endpoint's next request. */
  sent: "no" | "now" | "next";
}

/** The fault of one attempt; null for a step at which the subscriber works. */
export function faultAt({ sequence, ...own }: SubscriberFault, step: number): AttemptFault | null {
  const planned = sequence?.[step] ?? {};
  if (planned === DELIVER) return null;
  const effect =
    typeof planned === "number"
      ? { kind: "status" as const, status: planned }
      : typeof planned === "string"
        ? { kind: planned }
        : planned;
  const { kind = "status", status = 500, passThrough, overlap } = { ...own, ...effect };
  return {
    name: kind === "status" ? `status:${status}` : kind,
    sent: overlap ? "next" : passThrough ? "now" : "no",
  };
}

const MARKS = { no: "", now: "+pass", next: "+overlap" } as const;

/** Serializes a fault for the delivery's record: `status:503`, `timeout+pass`. */
export const writeFault = ({ name, sent }: AttemptFault): string => name + MARKS[sent];

/** Parses the output of `writeFault`. */
export function readFault(text: string): AttemptFault {
  const [name] = text.split("+") as [string];
  return {
    name,
    sent: text.endsWith(MARKS.next) ? "next" : text.endsWith(MARKS.now) ? "now" : "no",
  };
}

const SIMULATED: Record<
  Exclude<SubscriberFaultKind, "status" | "interrupted">,
  [DeliveryError, responseCode: number | null, detail: string | null]
> = {
  timeout: ["timeout", null, null],
  refused: ["connection_refused", null, `${FAILURE_WORDS.refused} (ECONNREFUSED)`],
  reset: ["connection_reset", null, `${FAILURE_WORDS.reset} (ECONNRESET)`],
  dns: ["dns", null, `${FAILURE_WORDS.dns} (ENOTFOUND)`],
  tls: ["tls", null, `${FAILURE_WORDS.tls} (DEPTH_ZERO_SELF_SIGNED_CERT)`],
  redirect: ["redirect", 302, "returned 302"],
  slow_body: ["timeout", 200, null],
  truncated: [
    "invalid_response",
    200,
    "returned 200, but the response ended before the length in Content-Length",
  ],
  garbage: ["invalid_response", null, FAILURE_WORDS.garbage],
};

/**
 * The result of a simulated fault, which takes no real time.
 * @returns null for an interruption: the subscriber's response to the second request counts
 */
export function simulate(name: string, succeeds = isSuccess): SendResult | null {
  if (name === "interrupted") return null;
  if (name.startsWith("status:")) {
    const responseCode = Number(name.slice("status:".length));
    return { ...NO_ANSWER, ...judge(responseCode, undefined, succeeds), responseCode };
  }
  const [error, responseCode, detail] = SIMULATED[name as keyof typeof SIMULATED];
  return { ...NO_ANSWER, error, responseCode, detail };
}
