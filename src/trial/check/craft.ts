import { createHash } from "node:crypto";
import { mergeOver, readJson } from "../../webhooks/body-text.ts";
import type { Message, Sender } from "../../webhooks/sender.ts";
import { wallNow } from "../../world/clock.ts";

/** A delivery without its address and signature. */
export interface Delivery extends Omit<Message, "url" | "secret" | "signedAt" | "also"> {
  /** What a user would search for in their data: `payment.completed of txn_…`. */
  subject: string;
}

export interface CheckRequest {
  /** A description for users: `the event, signed with another secret`. */
  what: string;
  subject: string;
  /** The type of the unchanged event. */
  type: string;
  method: "POST" | "GET";
  /** Where it is sent. */
  url: string;
  /** Makes the headers when the request is sent, as a signature may include the time. */
  makeHeaders: () => Record<string, string>;
  /** The body; null for a request without a body. */
  body: string | null;
  /** The byte of the body before which the connection pauses, so that the body arrives in two segments. */
  cutAt?: number | undefined;
}

export interface Changes {
  method?: "POST" | "GET";
  /** The body to sign and send; null sends no body, with the signature of the delivery's own body. */
  body?: string | null;
  /** The body to sign, if another body is sent. */
  signedBody?: string;
  /** The secret to sign with instead of the subscriber's. */
  secret?: string;
  also?: readonly string[];
  /** How old the signature's time is, in milliseconds; negative for a time in the future. */
  signedAgo?: number;
  /** Replaces the right signature; null omits the header. */
  signature?: (right: string) => string | null;
  headers?: (right: Record<string, string>) => Record<string, string>;
  /** Sends the body in two segments, cut inside this character. */
  cutInside?: string;
}

export interface Craft {
  /** The subscriber's secret, and a secret that it does not have. */
  secret: string;
  otherSecret: string;
  /** The secret that was replaced, if it is known. */
  oldSecret: string | undefined;
  signatureOf(delivery: Delivery): string;
  request(what: string, delivery: Delivery, changes?: Changes): CheckRequest;
}

/**
 * Makes requests from deliveries: signs them with the subscriber's secret, and spoils them as a hazard requires.
 * @param requests makes the sender's headers
 * @param secret as both sides have it, including its prefix
 * @param oldSecret a secret that was replaced
 */
export function createCraft(
  requests: Pick<
    Sender,
    "addressOf" | "headers" | "read" | "signatureHeader" | "oldSignatureHeaders" | "newSecret" | "signBody"
  >,
  { secret, url, oldSecret }: { secret: string; url: string; oldSecret?: string | undefined },
): Craft {
  const { signatureHeader } = requests;
  const makeSecret = (name: string) =>
    requests.newSecret(createHash("sha256").update(`${secret} ${name}`).digest());

  const addressOf = ({ type }: Delivery): string => requests.addressOf?.(type, url) ?? url;

  function headersOf(delivery: Delivery, changes: Changes): Record<string, string> {
    const { signedBody, body, signature, signedAgo } = changes;
    const headers = requests.headers({
      ...delivery,
      url: addressOf(delivery),
      secret: changes.secret ?? secret,
      also: changes.also,
      body: signedBody ?? body ?? delivery.body,
      signedAt: signedAgo === undefined ? undefined : wallNow() - signedAgo,
    });
    if (signature !== undefined && signatureHeader !== null) {
      const { signature: right = "", sha1 = "" } = requests.read(headers);
      const replace = (header: string, right: string): void => {
        const replaced = signature(right);
        if (replaced === null) delete headers[header];
        else headers[header] = headers[header]!.replace(right, () => replaced);
      };
      replace(signatureHeader, right);
      for (const header of requests.oldSignatureHeaders) replace(header, sha1);
    }
    return changes.headers?.(headers) ?? headers;
  }

  /** The body of a request, with its signature if the sender signs there. */
  function bodyOf(body: string, { secret: by = secret, signedBody, signature }: Changes): string {
    if (!requests.signBody || readJson(body) === undefined) return body;
    const replace = signature && ((right: string) => signature(right) ?? "");
    return requests.signBody(body, by, { signed: signedBody, replace });
  }

  function signatureOf(delivery: Delivery): string {
    let right = requests.read(headersOf(delivery, {})).signature ?? "";
    requests.signBody?.(delivery.body, secret, { replace: (made) => (right = made) });
    return right;
  }

  return {
    ...{ secret, oldSecret, otherSecret: makeSecret("another") },
    signatureOf,
    request(what, delivery, changes = {}) {
      const { method = "POST", body = delivery.body, cutInside } = changes;
      const { subject, type } = delivery;
      const cutAt = body === null || cutInside === undefined ? undefined : byteInside(body, cutInside);
      const sent = body === null ? null : bodyOf(body, changes);
      const made = { what, subject, type, method, url: addressOf(delivery), body: sent, cutAt };
      return { ...made, makeHeaders: () => headersOf(delivery, changes) };
    },
  };
}

/** The index of the second byte of a character. */
const byteInside = (body: string, character: string): number =>
  Buffer.byteLength(body.slice(0, body.indexOf(character))) + 1;

/** The same JSON value in other bytes: each value on its own line, and non-ASCII characters escaped. Numbers stay as they are. */
export function reformatted(body: string): string {
  const text = body.replaceAll(/"(?:[^"\\]|\\.)*"|[,:{[]/g, (token) =>
    token.length > 1 ? token : token === ":" ? ": " : `${token}\n `,
  );
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A body with another amount, or with an additional field if it has no amount. */
export function withOtherAmount(body: string): string {
  const changed = body.replace(/("amount\w*":"?)\d/, (_all, before: string) => `${before}9`);
  return changed === body ? mergeOver(body, { amount: 9 }) : changed;
}
