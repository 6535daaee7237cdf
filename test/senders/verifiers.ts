import "@shopify/shopify-api/adapters/node";
import { createHash, createHmac } from "node:crypto";
import { verifyWebhook } from "@clerk/backend/webhooks";
import { LinearWebhookClient } from "@linear/sdk/webhooks";
import { verify as verifyGithub } from "@octokit/webhooks-methods";
import { Paddle } from "@paddle/paddle-node-sdk";
import { webhooks as polar } from "@polar-sh/sdk/2026-10";
import { ApiVersion, shopifyApi } from "@shopify/shopify-api";
import { WorkOS } from "@workos-inc/node";
import { verifyKey as verifyDiscord } from "discord-interactions";
import { importJWK, jwtVerify } from "jose";
import Razorpay from "razorpay";
import { Resend } from "resend";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { vi } from "vitest";
import { readSender } from "../../src/senders/files.ts";

/** A request with the names of its headers in lower case. */
export interface Signed {
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
  url: string;
}

/**
 * Whether a sender's own verifier accepts a request.
 * @param now seconds since the epoch
 */
type Verifier = (request: Signed, secret: string, now: number) => boolean | Promise<boolean>;

const PLAID_KEY = "POST /webhook_verification_key/get";

const hmac = (key: string | Buffer, text: string, encoding: "hex" | "base64", algorithm = "sha256") =>
  createHmac(algorithm, key).update(text).digest(encoding);

interface Verified {
  accepts: Verifier;
  /** The age in seconds at which the verifier starts to reject a signature. */
  old?: number;
  /** The part of a request that the signature does not cover, or the secret if the signature does not depend on it. */
  lacks?: "body" | "secret" | "everything";
}

/** Runs a verifier at a simulated time, because packages read the machine's clock. */
async function at(now: number, verify: () => unknown): Promise<boolean> {
  const isNow = Math.abs(Date.now() / 1_000 - now) < 2;
  if (!isNow) vi.useFakeTimers({ toFake: ["Date"], now: now * 1_000 });
  try {
    return (await verify()) !== false;
  } catch {
    return false;
  } finally {
    if (!isNow) vi.useRealTimers();
  }
}

/** The headers as the type that the packages expect. */
const present = (headers: Signed["headers"]) => headers as Record<string, string>;

/**
 * Each sender's own package, if there is one for Node. If the package contains a whole client or server (Square) or
 * verifies nothing (Lemon Squeezy), the code follows the documentation instead, and the sender's published examples
 * confirm that it is right.
 */
export const VERIFIERS: Record<string, Verified> = {
  stripe: {
    old: 301,
    accepts: ({ headers, body }, secret, now) =>
      at(now, () => {
        const signature = headers["stripe-signature"]!;
        return body.includes('"v2.core.event"')
          ? new Stripe("sk_test_1").parseEventNotification(body, signature, secret)
          : Stripe.webhooks.constructEvent(body, signature, secret);
      }),
  },
  github: {
    accepts: ({ headers, body }, secret) => verifyGithub(secret, body, headers["x-hub-signature-256"]!),
  },
  shopify: {
    async accepts({ headers, body }, secret) {
      const shopify = shopifyApi({
        ...{ apiKey: "key", apiSecretKey: secret, apiVersion: Object.values(ApiVersion).at(-1)! },
        ...{ hostName: "example.com", isEmbeddedApp: false, logger: { log: () => undefined } },
      });
      const rawRequest = { method: "POST", url: "/", headers: present(headers) };
      return (await shopify.webhooks.validate({ rawBody: body, rawRequest, rawResponse: {} })).valid;
    },
  },
  svix: {
    old: 301,
    accepts: ({ headers, body }, secret, now) =>
      at(now, () => new SvixWebhook(secret).verify(body, present(headers))),
  },
  "standard-webhooks": {
    old: 301,
    accepts: ({ headers, body }, secret, now) =>
      at(now, () => new StandardWebhook(secret).verify(body, present(headers))),
  },
  // Paddle's package also parses the whole event, and throws if a field is missing.
  paddle: {
    old: 6,
    accepts: ({ headers, body }, secret, now) =>
      at(now, () => new Paddle("key").webhooks.unmarshal(body, secret, headers["paddle-signature"]!)),
  },
  clerk: {
    old: 301,
    accepts: ({ headers, body }, secret, now) =>
      at(now, () =>
        verifyWebhook(new Request("http://127.0.0.1/", { method: "POST", headers: present(headers), body }), {
          signingSecret: secret,
        }),
      ),
  },
  resend: {
    old: 301,
    accepts: ({ headers, body }, secret, now) =>
      at(now, () =>
        new Resend("re_key").webhooks.verify({
          payload: body,
          headers: {
            id: headers["svix-id"]!,
            timestamp: headers["svix-timestamp"]!,
            signature: headers["svix-signature"]!,
          },
          webhookSecret: secret,
        }),
      ),
  },
  polar: {
    old: 301,
    accepts: ({ headers, body }, secret, now) =>
      at(now, () =>
        polar.validateEvent(body, present(headers), secret).catch((error: unknown) => {
          // When this error is thrown, the signature has already been verified.
          if (!(error instanceof polar.PolarWebhookUnknownTypeError)) throw error;
        }),
      ),
  },
  // Linear's package compares the time in the body with the clock.
  linear: {
    accepts: ({ headers, body }, secret) =>
      at(JSON.parse(body).webhookTimestamp / 1_000, () =>
        new LinearWebhookClient(secret).verify(Buffer.from(body), headers["linear-signature"]!),
      ),
  },
  square: {
    accepts: ({ headers, body, url }, secret) =>
      headers["x-square-hmacsha256-signature"] === hmac(secret, url + body, "base64"),
  },
  slack: {
    old: 301,
    accepts({ headers, body }, secret, now) {
      const time = headers["x-slack-request-timestamp"];
      return (
        time !== undefined &&
        Math.abs(now - Number(time)) <= 300 &&
        headers["x-slack-signature"] === `v0=${hmac(secret, `v0:${time}:${body}`, "hex")}`
      );
    },
  },
  lemonsqueezy: {
    accepts: ({ headers, body }, secret) => headers["x-signature"] === hmac(secret, body, "hex"),
  },
  razorpay: {
    accepts: ({ headers, body }, secret) =>
      Razorpay.validateWebhookSignature(body, headers["x-razorpay-signature"]!, secret),
  },
  paystack: {
    accepts: ({ headers, body }, secret) =>
      headers["x-paystack-signature"] === hmac(secret, body, "hex", "sha512"),
  },
  gitlab: {
    lacks: "body",
    accepts: ({ headers }, secret) => headers["x-gitlab-token"] === secret,
  },
  revenuecat: {
    lacks: "body",
    accepts: ({ headers }, secret) => headers.authorization === secret,
  },
  discord: {
    async accepts({ headers, body }, secret) {
      const publicKey = (await readSender("discord")).verifyingKey!(secret);
      return verifyDiscord(
        body,
        headers["x-signature-ed25519"]!,
        headers["x-signature-timestamp"]!,
        publicKey,
      );
    },
  },
  workos: {
    old: 181,
    accepts: ({ headers, body }, secret, now) =>
      at(now, () =>
        new WorkOS("sk_test_1").webhooks.verifyHeader({
          payload: body,
          sigHeader: headers["workos-signature"]!,
          secret,
        }),
      ),
  },
  supabase: {
    lacks: "body",
    accepts: ({ headers }, secret) => headers.authorization === `Bearer ${secret}`,
  },
  twilio: {
    accepts({ headers, body, url }, secret) {
      const fields = [...new URLSearchParams(body)].sort(([one], [other]) => (one < other ? -1 : 1));
      const signed = url + fields.map(([name, value]) => name + value).join("");
      return headers["x-twilio-signature"] === hmac(secret, signed, "base64", "sha1");
    },
  },
  mollie: { lacks: "everything", accepts: ({ body }) => body.startsWith("id=") },
  plaid: {
    // The key is the one that the simulated API returns.
    async accepts({ headers, body }) {
      const { key } = Object((await readSender("plaid")).facts.api!.reads[PLAID_KEY]).answer;
      const { payload } = await jwtVerify(headers["plaid-verification"]!, await importJWK(key), {
        ...{ algorithms: ["ES256"], maxTokenAge: "5 min", clockTolerance: 5 },
      });
      return payload.request_body_sha256 === createHash("sha256").update(body).digest("hex");
    },
    lacks: "secret",
  },
  mailgun: {
    lacks: "body",
    accepts({ body }, secret) {
      const { timestamp, token, signature } = JSON.parse(body).signature;
      return signature === hmac(secret, timestamp + token, "hex");
    },
  },
  adyen: {
    lacks: "body",
    accepts({ body }, secret) {
      const { NotificationRequestItem: item } = JSON.parse(body).notificationItems[0];
      const { pspReference, originalReference, merchantAccountCode, merchantReference, amount } = item;
      const fields = [
        ...[pspReference, originalReference, merchantAccountCode, merchantReference],
        ...[amount.value, amount.currency, item.eventCode, item.success],
      ];
      return (
        item.additionalData.hmacSignature === hmac(Buffer.from(secret, "hex"), fields.join(":"), "base64")
      );
    },
  },
};
