import { replaceAt } from "../../webhooks/body-text.ts";
import { isSuccess } from "../../webhooks/failures.ts";
import { checkSecret } from "../../webhooks/secret.ts";
import { describedRequests, type RequestDescription, type Sender } from "../../webhooks/sender.ts";
import { iso } from "../../world/duration.ts";
import type { PlatformWebhookSettings } from "../context.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { deliveryBody, testEventData } from "./payload.ts";

export const PLATFORM_SENDER = "platform";
/** The default prefix of the platform's headers. */
export const HEADER_PREFIX = "X-Platform-";

/**
 * How the platform builds its requests, in the format of a sender file.
 * @param prefix the prefix of its headers
 */
export const describePlatform = (prefix: string) =>
  ({
    headers: {
      [`${prefix}Webhook-Id`]: "{endpoint}",
      [`${prefix}Delivery-Id`]: "{delivery}",
      [`${prefix}Event`]: "{type}",
      [`${prefix}Timestamp`]: "{time}",
    },
    testHeaders: { [`${prefix}Test`]: "true" },
    signature: {
      header: `${prefix}Signature: {signature}`,
      algorithm: "hmac-sha256",
      encoding: "hex",
      over: "{body}",
      secret: "text",
      prefix: "whsec_",
      time: "iso",
      clock: "virtual",
    },
  }) as const satisfies RequestDescription;

export const platformRequests = (prefix: string) => describedRequests(describePlatform(prefix));

/**
 * Checks a secret. The platform accepts any text. @throws SandboxError `bad_request` for characters left over from
 * copying, such as quotes
 */
export const checkPlatformSecret = (secret: string): void => checkSecret("the platform", "any text", secret);

export function createPlatformSender(settings: PlatformWebhookSettings): Sender {
  const requests = platformRequests(settings.headerPrefix);
  return {
    name: PLATFORM_SENDER,
    events: EVENT_TYPES,
    policy: { ...settings, succeeds: isSuccess },
    deliveryId: settings.deliveryId,
    body: ({ type, data, created_at: at }, webhookId) => deliveryBody({ type, webhookId, at, data }),
    ...requests,
    checkSecret: checkPlatformSecret,
    typeOf: ({ headers }) => requests.read(headers).type ?? null,
    withTime: (body, _type, at) => replaceAt(body, "body.timestamp", iso(at)),
    verify(request, secret) {
      // A world may contain deliveries from before the prefix was changed.
      const name = Object.keys(request.headers).find((one) => /(?:^|-)signature$/i.test(one));
      if (name === undefined) return "missing";
      return platformRequests(name.slice(0, -"signature".length)).verify(request, secret);
    },
    makeTest: (world) => ({ type: "payment.completed", data: testEventData(world) }),
  };
}
