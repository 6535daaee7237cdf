import type { WebhookEvent } from "../library/index.ts";
import { readSignedEvent } from "../payments/webhooks/read-webhook.ts";

/**
 * The headers of a request: those of Fetch, or Node's.
 * @example
 * const headers: WebhookHeaders = request.headers;
 */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a webhook and reads its event. An event of a type that this version does not know is returned as it came: a
 * `default:` in a `switch` handles it.
 * @param body the raw request body, exactly as received
 * @param secret the endpoint's signing secret
 * @param options `headerPrefix`, where the sandbox was configured with another one than `X-Platform-`
 * @throws SandboxError `invalid_signature` (its `status` is 401) for a request that the platform did not sign;
 * `bad_request` (400) for a signed body that is not an event, and as `verifySignature` does
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
