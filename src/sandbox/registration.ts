import type { IncomingHttpHeaders } from "node:http";
import type { Static } from "typebox";
import { isSecret } from "../config/config.ts";
import { misuse } from "../errors/errors.ts";
import type * as schemas from "../operations/webhooks.ts";
import type { Payments } from "../payments/payments.ts";
import type { WebhookRegistration } from "../payments/webhooks/dashboard.ts";
import { PLATFORM_SENDER } from "../payments/webhooks/platform.ts";
import { withScheme } from "../runtime/http-url.ts";
import { dashboardCaller, organizationIds } from "./dashboard.ts";

/**
 * Registers a webhook endpoint as its owner does in the dashboard, or returns the one with this URL, events and description.
 * See docs/guide/webhooks.md, "Register".
 * @param headers their API key names the organization; without one it is the first
 * @param path of the request, for the audit trail
 * @throws PlatformError, SandboxError `bad_request` for a text that cannot be a secret
 */
export type RegisterWebhook = (
  input: Static<typeof schemas.WebhookRegistration>,
  headers: IncomingHttpHeaders,
  path: string,
) => Static<typeof schemas.RegisteredWebhook>;

export function createRegistration(payments: Payments): RegisterWebhook {
  function register(account: string, path: string, registration: WebhookRegistration) {
    const { id, created } = payments.endpoints.register(dashboardCaller(account, "POST", path), registration);
    return { ...payments.endpoints.listAll().find((endpoint) => endpoint.id === id)!, created };
  }

  /** The named organization, that of the key, or the first. */
  function organizationOf(named: string | undefined, headers: IncomingHttpHeaders): string {
    const keyed = headers.authorization !== undefined || headers["x-api-key"] !== undefined;
    return named === undefined && keyed
      ? payments.apiKeys.authenticate(headers).org
      : organizationIds(payments, named)[0]!;
  }

  return (input, headers, path) => {
    if (input.secret !== undefined) checkSecret(input.secret);
    const { organization, sender = PLATFORM_SENDER, ...given } = input;
    const registration = { ...given, url: withScheme(given.url) };
    if (sender === PLATFORM_SENDER)
      return register(organizationOf(organization, headers), path, registration);
    if (organization === undefined) return register(sender, path, { ...registration, sender });
    throw misuse(
      `An endpoint of ${sender} does not belong to an organization, but organization is ${organization}.`,
      "Leave out organization.",
    );
  };
}

/** The message does not repeat the secret, which could end up in CI logs. */
export function checkSecret(text: string): void {
  if (isSecret(text)) return;
  const wrong =
    text.length === 0 || text.length > 200
      ? `${text.length} characters`
      : "a control character, such as a line break";
  throw misuse(
    `The secret has ${wrong}.`,
    "A secret is a single-line string of 1 to 200 characters.",
    "secret",
  );
}
