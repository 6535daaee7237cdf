import type { IncomingHttpHeaders } from "node:http";
import { isSecret } from "../config/config.ts";
import { misuse } from "../errors/errors.ts";
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
 * @param dashboard the caller of a dashboard action for an account
 * @param organizationIds the ids of organizations with an id or a name; of all of them by default
 */
export function createRegistration(
  payments: Payments,
  dashboard: (account: string, method: string, path: string) => Caller,
  organizationIds: (named: string | undefined) => string[],
) {
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

  /**
   * Registers a webhook endpoint as its owner does in the dashboard, or returns the one with this URL, events and description.
   * @param headers their API key names the organization; without one it is the first
   * @throws PlatformError, SandboxError `bad_request` for a text that cannot be a secret
   */
  return (input: EndpointRegistration, headers: IncomingHttpHeaders, path: string) => {
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

/** The message does not repeat the secret, which could end up in CI logs. */
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
