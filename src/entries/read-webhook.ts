import type { WebhookEvent } from "../library/index.ts";
import { readSignedEvent } from "../payments/webhooks/read-webhook.ts";

/**
 * The headers of a request, as Fetch or Node represents them.
 * @example
 * const headers: WebhookHeaders = request.headers;
 */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a webhook and reads its event. An event whose type this version does not know is returned unchanged; handle
 * it in the `default:` of a `switch`.
 * @param body the raw request body, exactly as received
 * @param secret the endpoint's signing secret
 * @param options `headerPrefix`, if the sandbox is configured with a prefix other than `X-Platform-`
 * @throws SandboxError `invalid_signature` (with `status` 401) if the platform did not sign the request; `bad_request`
 * (400) for a signed body that is not an event, and when `verifySignature` throws it
 * @example
 * const { event, data } = readWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET!);
 * if (event === "payment.completed") await markPaid(data.checkoutSession.clientReferenceId);
 */
export function readWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: { headerPrefix?: string } = {},
): WebhookEvent {
  return readSignedEvent(body, headers, secret, options) as WebhookEvent;
}
