import type { Delivery, DeliveryError, ListedWebhookEndpoint } from "../library/index.ts";
import { sign } from "../payments/webhooks/signature.ts";
import { attemptResult } from "../story/attempt.ts";
import { instant } from "../story/instant.ts";

/** Why a delivery failed and what to do, for a reader who can change the subscriber. */
export interface Explanation {
  what: string;
  why: string;
  fix: string;
  next: string;
  /** Whether the signature matches the body and the endpoint's present secret. */
  signature: "valid" | "invalid" | "missing";
}

type Cause = Pick<Explanation, "why" | "fix">;

const CAUSES: Partial<Record<DeliveryError, Cause>> = {
  timeout: {
    why: "The subscriber did not finish its response within 30 seconds.",
    fix: "Respond with 2xx as soon as the event is verified and stored. Do slow work afterwards, in a queue.",
  },
  connection_refused: {
    why: "Nothing accepts connections at this address.",
    fix: "Start the subscriber, or correct the endpoint's host and port.",
  },
  connection_reset: {
    why: "The connection was closed before the response was complete.",
    fix: "Look for a crash or restart of the subscriber at that moment, and for a proxy that closes connections.",
  },
  dns: {
    why: "The host name does not resolve.",
    fix: "Correct the endpoint's host name. From a container, use the service name or host.docker.internal.",
  },
  tls: {
    why: "The TLS handshake failed, so the certificate is not trusted or the port does not speak TLS.",
    fix: "Use http:// for a local server without TLS, or a certificate that this machine trusts.",
  },
  redirect: {
    why: "The subscriber answered with a redirect, and the platform follows none.",
    fix: "Register the final address. Check http or https, and the trailing slash.",
  },
  invalid_response: {
    why: "The response was not complete, valid HTTP.",
    fix: "Check that content-length matches the body, and that the server ends its responses.",
  },
  blocked_by_network_policy: {
    why: "The platform sends webhooks to public https addresses and to this machine only.",
    fix: "Use https, or http on this machine.",
  },
  endpoint_deleted: {
    why: "The endpoint was deleted while the attempt was in flight.",
    fix: "Register the endpoint again if it is still needed.",
  },
};

const STATUSES: Record<number, Cause> = {
  400: {
    why: "The handler rejected the request as malformed.",
    fix: "Compare the fields that the handler requires with the request body above. The response body may name the field.",
  },
  404: {
    why: "The server has no route at this path.",
    fix: "Correct the endpoint's path, or add a POST route there.",
  },
  405: { why: "The route does not accept POST.", fix: "Accept POST at this path." },
  413: {
    why: "The server refuses a body of this size.",
    fix: "Raise the body limit for this route; an event is a few kilobytes.",
  },
  415: { why: "The server refuses application/json.", fix: "Accept application/json at this path." },
  429: {
    why: "A rate limit refused the request.",
    fix: "Exempt the platform's requests from the rate limit: a refused event counts as a failed one.",
  },
};

const REJECTED: Cause = {
  why: "The handler refused the request, most likely because its signature check failed.",
  fix: "Verify over the raw body, before JSON is parsed: HMAC-SHA256 in hexadecimal. Use the endpoint's present secret, and exempt the route from CSRF and login checks.",
};
const CRASHED: Cause = {
  why: "The handler failed while it processed the event.",
  fix: "Read the subscriber's log for that moment. retry_failed sends the event again.",
};
const OTHER: Cause = {
  why: "The platform counts every response outside of 2xx as a failure.",
  fix: "Respond with 2xx once the event is stored, also for event types that the handler ignores.",
};

function causeOf({ error, response_code: code }: Delivery): Cause {
  if (error !== "status" || code === null) return (error && CAUSES[error]) || OTHER;
  if (code === 401 || code === 403) return REJECTED;
  return STATUSES[code] ?? (code >= 500 ? CRASHED : OTHER);
}

/** Checks the signature that was sent, whatever prefix the platform's headers have. */
function checkSignature(
  { request_headers, request_body }: Delivery,
  secret: string,
): Explanation["signature"] {
  const sent = Object.entries(request_headers).find(([name]) => /(?:^|-)signature$/i.test(name))?.[1];
  if (sent === undefined) return "missing";
  return sent === sign(request_body, secret) ? "valid" : "invalid";
}

function nextOf({ next_attempt_at: next, status }: Delivery, endpoint: ListedWebhookEndpoint): string {
  if (status === "pending") return "The subscriber has not answered yet.";
  if (status === "success") return "Nothing more is sent for this delivery.";
  if (next !== null)
    return `The platform tries again at ${instant(next)} (virtual time). Advance the clock to get there.`;
  if (endpoint.status === "disabled")
    return "The endpoint is disabled, so nothing is sent until it is enabled. repair_subscriber enables it.";
  return "The platform does not try again by itself.";
}

/** Explains a delivery. Pure. */
export function explain(
  delivery: Delivery,
  endpoint: ListedWebhookEndpoint,
  fault: Record<string, unknown> | null,
): Explanation {
  const what = `Attempt ${delivery.attempt} of ${delivery.event} to ${delivery.url} ${attemptResult(delivery)}.`;
  const next = nextOf(delivery, endpoint);
  const signature = checkSignature(delivery, endpoint.secret);
  if (delivery.status !== "failed")
    return { what, why: "It did not fail.", fix: "Nothing to do.", next, signature };
  if (fault !== null)
    return {
      what,
      why: `The sandbox makes this subscriber fail at present: ${JSON.stringify(fault)}. Unless passThrough is set, the subscriber was not called.`,
      fix: "End the fault with repair_subscriber.",
      next,
      signature,
    };
  return { what, ...causeOf(delivery), next, signature };
}
