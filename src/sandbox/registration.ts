import type { IncomingHttpHeaders } from "node:http";
import type { Static } from "typebox";
import { isSecret } from "../config/config.ts";
import { misuse } from "../errors/errors.ts";
import type { RegisteredWebhook } from "../operations/schemas/webhooks.ts";
import type { Caller } from "../payments/context.ts";
import type { Payments } from "../payments/payments.ts";
import { PLATFORM_SENDER } from "../payments/webhooks/platform.ts";
import type { WebhookRegistration } from "../payments/webhooks/registrations.ts";
import { withScheme } from "../runtime/http-url.ts";

/** An endpoint as a person registers it: the platform's for an organization, or another sender's. */
export interface EndpointRegistration extends Omit<WebhookRegistration, "sender"> {
  organization?: string | undefined;
  sender?: string | undefined;
}

/**
 * Registers a webhook endpoint as its owner does in the dashboard, or returns the one with this URL, events and description.
 * See docs/guide/webhooks.md, "Register".
 * @param headers their API key names the organization; without one it is the first
 * @param path of the request, for the audit trail
 * @throws PlatformError, SandboxError `bad_request` for a text that cannot be a secret
 */
export type RegisterWebhook = (
  input: EndpointRegistration,
  headers: IncomingHttpHeaders,
  path: string,
) => Static<typeof RegisteredWebhook>;

/**
 * @param dashboard the caller of a dashboard action for an account
 * @param organizationIds the ids of organizations with an id or a name; of all of them by default
 */
export function createRegistration(
  payments: Payments,
  dashboard: (account: string, method: string, path: string) => Caller,
  organizationIds: (named: string | undefined) => string[],
): RegisterWebhook {
  function register(account: string, path: string, registration: WebhookRegistration) {
    const { id, created } = payments.registrations.register(dashboard(account, "POST", path), registration);
    return { ...payments.endpoints.listAll().find((endpoint) => endpoint.id === id)!, created };
  }

  /** The named organization, that of the key, or the first. */
  function organizationOf(named: string | undefined, headers: IncomingHttpHeaders): string {
    const keyed = headers.authorization !== undefined || headers["x-api-key"] !== undefined;
    return named === undefined && keyed
      ? payments.apiKeys.authenticate(headers).org
      : organizationIds(named)[0]!;
  }

  return (input, headers, path) => {
    if (input.secret !== undefined) checkSecret(input.secret);
    const { organization, sender = PLATFORM_SENDER, ...given } = input;
    const registration = { ...given, url: withScheme(given.url) };
    if (sender === PLATFORM_SENDER)
      return register(organizationOf(organization, headers), path, registration);
    if (organization === undefined) return register(sender, path, { ...registration, sender });
    throw misuse(
      `An endpoint of ${sender} belongs to no organization, but organization is ${organization}.`,
      "Leave out organization.",
    );
  };
}

/** The message does not repeat the secret, as it may end up in the logs of a CI. */
function checkSecret(text: string): void {
  if (isSecret(text)) return;
  const wrong =
    text.length === 0 || text.length > 200
      ? `${text.length} characters`
      : "a control character, such as a line break";
  throw misuse(
    `The secret has ${wrong}.`,
    "A secret is a text of 1 to 200 characters in one line.",
    "secret",
  );
}
