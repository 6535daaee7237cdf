import { attemptResult, skipText, TLS_ADVICE } from "./attempt.ts";
import type { Tone } from "./entries.ts";
import type { ExplainedDelivery } from "./schemas.ts";
import { count } from "./text.ts";

/** Why a delivery has its status, what to change and what happens next, for a person who can change the subscriber. */
export interface Explanation {
  why: string;
  /** Empty if nothing needs to change, for example after the event has arrived. */
  fix: string;
  next: { tone: Tone; text: string };
}

/** How a surface formats instants and describes the user's actions. */
export interface ExplainingSurface {
  at: (iso: string) => string;
  /** How to send a failed event again, as a sentence. */
  retry: string;
  /** How to clear an endpoint's fault, as a sentence. */
  endFault: string;
  /** How to find out why a signature is rejected, as a sentence. */
  diagnose: string;
}

/** Advice for any other status. */
const OTHER = [
  "",
  "Respond with 2xx once the event is stored, even for event types that the handler ignores.",
] as const;

/** Advice for failures without a status, keyed by error. */
const FIXES: Record<NonNullable<ExplainedDelivery["error"]>, string> = {
  timeout:
    "Respond with 2xx as soon as the event is verified and stored. Do slow work afterwards, in a queue.",
  connection_refused: "Start the subscriber, or correct the endpoint's host and port.",
  connection_reset:
    "Look for a crash or restart of the subscriber at that moment, and for a proxy that closes connections.",
  dns: "Correct the endpoint's host name. From a container, use the service name or host.docker.internal.",
  tls: TLS_ADVICE,
  redirect: "Register the final address. Check http or https, and the trailing slash.",
  invalid_response:
    "Send one complete HTTP/1.1 response: with a Content-Length that matches the body, or chunked, and no 101.",
  status: OTHER[1],
  blocked_by_network_policy: "",
  endpoint_deleted: "Register the endpoint again if it is still needed.",
};

/** The likely cause and advice by response status. */
const STATUSES: Record<number, readonly [why: string, fix: string]> = {
  400: [
    "The handler rejected the request as malformed.",
    "Compare the fields that the handler requires with the request body. The response body may name the field.",
  ],
  404: ["The server has no route at this path.", "Correct the endpoint's path, or add a POST route there."],
  405: ["The route does not accept POST.", "Accept POST at this path."],
  413: [
    "The server refuses a body of this size.",
    "Raise the body limit for this route; an event is a few kilobytes.",
  ],
  415: ["The server refuses application/json.", "Accept application/json at this path."],
  429: [
    "A rate limit refused the request.",
    "Exempt the platform's requests from the rate limit: a rejected event counts as failed.",
  ],
};
const CRASHED = [
  "The handler failed while it processed the event.",
  "Read the subscriber's log for that moment.",
] as const;

const SPEAKS_OF_SIGNATURE =
  /signature|\bsign(?:ed|ing)\b|secret|hmac|digest|verif|unauthori[sz]ed|forbidden|timestamp|toleran|\bversion/i;

/**
 * Whether a response may mean that the server rejected the signature or the API version.
 * @param text the response body, or the error that a function threw
 */
export const mayBeSignature = (status: number | null, text = ""): boolean =>
  status !== null &&
  (status === 400 || status === 401 || status === 403 || (status > 400 && SPEAKS_OF_SIGNATURE.test(text)));

const arrivedSince = ({ id, event_attempts: attempts }: ExplainedDelivery): boolean =>
  attempts
    .slice(attempts.findIndex((one) => one.delivery_id === id) + 1)
    .some((one) => one.status === "success");

/** Whether the subscriber itself rejected a delivery, possibly because of its signature. Experiments can then show why. */
export const canBeDiagnosed = (delivery: ExplainedDelivery): boolean =>
  delivery.simulated === null &&
  !arrivedSince(delivery) &&
  delivery.status === "failed" &&
  mayBeSignature(delivery.response_code, `${delivery.error_detail} ${delivery.response_body}`);

const sentences = (...parts: (string | null)[]): string => parts.filter(Boolean).join(" ");

/** Describes what responded instead of the user's subscriber, and what to do about it. */
function simulation(
  { simulated: by }: ExplainedDelivery,
  { endFault }: ExplainingSurface,
): readonly [string, string] | undefined {
  if (by === null) return undefined;
  if (by.by === "inbox")
    return [
      `The sandbox's own inbox '${by.name}' responded as configured.`,
      `Change the behaviour of the inbox '${by.name}', or register your own server.`,
    ];
  if (by.by === "seed")
    return ["The delivery belongs to the demo data: the sandbox made it up, and nothing was sent.", ""];
  const called = by.called
    ? "The subscriber was also called, but its response was discarded."
    : "The subscriber was not called.";
  return [`The sandbox simulated it with the endpoint's fault ${by.name}. ${called}`, endFault];
}

function causeOf(
  { error, response_code: code, response_body: body }: ExplainedDelivery,
  { diagnose }: ExplainingSurface,
): readonly [string, string] {
  if (error === "blocked_by_network_policy") return ["", ""];
  if (error === "status" && SPEAKS_OF_SIGNATURE.test(body ?? "") && mayBeSignature(code, body ?? ""))
    return ["The response mentions the signature, the secret or the version.", diagnose];
  if (error === "status" && (code === 401 || code === 403))
    return ["The handler refused the request.", diagnose];
  if (error !== "status" || code === null) return ["", error === null ? OTHER[1] : FIXES[error]];
  return STATUSES[code] ?? (code >= 500 ? CRASHED : OTHER);
}

/** The failure counter, if another failure would bring the endpoint closer to being disabled. */
function counted({
  endpoint: { status, consecutive_failures: failures, threshold },
}: ExplainedDelivery): string {
  if (status !== "enabled" || threshold === null) return "";
  const left = threshold - failures;
  return `The endpoint has ${count(failures, "failure")} in a row; ${left} more would disable it.`;
}

/** What happens, or happened, after an attempt. */
function nextOf(delivery: ExplainedDelivery, { at, retry }: ExplainingSurface): Explanation["next"] {
  const { trigger, status, completed_at: completedAt, plan, event_attempts: attempts } = delivery;
  const plain = (...parts: string[]) => ({ tone: "plain" as const, text: sentences(...parts) });
  if (completedAt === null) return plain("What happens next depends on its result.");
  if (trigger === "test") return plain("Nothing: a test is never retried, and changes no counter.");
  if (trigger === "resend")
    return plain(
      "Nothing: the event had arrived before. A resend is not retried and leaves the failure count as it is.",
    );
  if (status === "success")
    return plain("Nothing more: the event has arrived, its retries are cancelled, and the counter is at 0.");
  const position = attempts.findIndex(({ delivery_id: id }) => id === delivery.id);
  const arrived = attempts.findIndex((attempt) => attempt.status === "success");
  if (arrived >= 0) {
    const { attempt, trigger: by, started_at: when } = attempts[arrived]!;
    const which = by === "manual" ? "a manual retry" : `attempt ${attempt}`;
    return arrived < position
      ? plain(`The event had arrived before, at ${at(when)}.`)
      : plain(`The event arrived later, at ${at(when)}, with ${which}.`);
  }
  const later = attempts.slice(position + 1);
  const open = later.find((attempt) => attempt.status === "pending");
  if (open) return plain(`Attempt ${open.attempt} is waiting for its response.`);
  if (plan?.next_attempt_at)
    return plain(`Attempt ${plan.attempts + 1} is due at ${at(plan.next_attempt_at)}.`, counted(delivery));
  const last =
    plan?.state === "skipped"
      ? `The remaining attempts were skipped when ${skipText(plan.reason ?? "endpoint_disabled")}.`
      : later.length > 0
        ? `${count(later.length, "later attempt")} failed, too; no attempts are left.`
        : "That was the last attempt.";
  return { tone: "bad", text: sentences(last, delivery.endpoint.status === "deleted" ? "" : retry) };
}

export function explainDelivery(delivery: ExplainedDelivery, surface: ExplainingSurface): Explanation {
  const next = nextOf(delivery, surface);
  const { status, response_code: code, error_detail: detail } = delivery;
  if (status === "pending")
    return { why: "The request was sent; the subscriber has not responded yet.", fix: "", next };
  if (status === "success")
    return { why: `It responded with ${code} in time, so the event is delivered.`, fix: "", next };
  const [cause, advice] = simulation(delivery, surface) ?? causeOf(delivery, surface);
  const hasArrived = delivery.event_attempts.some((attempt) => attempt.status === "success");
  const fix = hasArrived ? "" : advice;
  return { why: sentences(detail ?? `It ${attemptResult(delivery)}.`, cause), fix, next };
}
