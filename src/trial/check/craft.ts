import { createHash } from "node:crypto";
import { mergeOver, readJson } from "../../webhooks/body-text.ts";
import type { Message, Sender } from "../../webhooks/sender.ts";
import { wallNow } from "../../world/clock.ts";

/** A delivery without its URL and signature. */
export interface Delivery extends Omit<Message, "url" | "secret" | "signedAt" | "also"> {
  /** What to search for in the user's data: `payment.completed of txn_…`. */
  subject: string;
}

export interface CheckRequest {
  /** A user-facing description: `the event, signed with another secret`. */
  what: string;
  subject: string;
  /** The type of the original event. */
  type: string;
  method: "POST" | "GET";
  url: string;
  /** Creates the headers when the request is sent, because a signature may include the time. */
  makeHeaders: () => Record<string, string>;
  body: string | null;
  /** The body offset at which the connection pauses, so that the body arrives in two segments. */
  cutAt?: number | undefined;
}

export interface Changes {
  method?: "POST" | "GET";
  /** The body to sign and send. Null sends no body, but still signs the delivery's own body. */
  body?: string | null;
  /** The body to sign, if another body is sent. */
  signedBody?: string;
  /** The secret to sign with instead of the subscriber's. */
  secret?: string;
  also?: readonly string[];
  /** The age of the signature's time in milliseconds; negative for a time in the future. */
  signedAgo?: number;
  /** Replaces the correct signature. Null omits the header. */
  signature?: (right: string) => string | null;
  headers?: (right: Record<string, string>) => Record<string, string>;
  /** Sends the body in two segments, split inside this character. */
  cutInside?: string;
}

export interface Craft {
  /** The subscriber's secret, and an unrelated one. */
  secret: string;
  otherSecret: string;
  /** The previous secret, if it is known. */
  oldSecret: string | undefined;
  signatureOf(delivery: Delivery): string;
  request(what: string, delivery: Delivery, changes?: Changes): CheckRequest;
}

/**
 * Turns deliveries into requests: signs them with the subscriber's secret, and changes them as a hazard requires.
 * @param requests creates the sender's headers
 * @param secret the shared secret, including its prefix
 * @param oldSecret the previous secret
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

  /** The request body, with the signature in it if that is where the sender signs. */
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

/** The offset of a character's second byte. */
const byteInside = (body: string, character: string): number =>
  Buffer.byteLength(body.slice(0, body.indexOf(character))) + 1;

/** Reformats JSON: each value on its own line, non-ASCII characters escaped, numbers unchanged. */
export function reformatted(body: string): string {
  const text = body.replaceAll(/"(?:[^"\\]|\\.)*"|[,:{[]/g, (token) =>
    token.length > 1 ? token : token === ":" ? ": " : `${token}\n `,
  );
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Changes a body's amount, or adds a field if there isn't one. */
export function withOtherAmount(body: string): string {
  const changed = body.replace(/("amount\w*":"?)\d/, (_all, before: string) => `${before}9`);
  return changed === body ? mergeOver(body, { amount: 9 }) : changed;
}
