import { createHash } from "node:crypto";
import { mergeOver } from "../../webhooks/body-text.ts";
import type { Message, Sender } from "../../webhooks/sender.ts";
import { wallNow } from "../../world/clock.ts";

/** A delivery before it has an address and a signature. */
export interface Delivery extends Omit<Message, "url" | "secret" | "signedAt" | "also"> {
  /** What a person looks for in their own data: `payment.completed of txn_…`. */
  subject: string;
}

/** A request to the receiver. */
export interface CheckRequest {
  /** What it is, for people: `the event, signed with another secret`. */
  what: string;
  subject: string;
  /** Of the event, as it is before it is changed. */
  type: string;
  method: "POST" | "GET";
  /** Makes the headers when it is sent: a signature may have the time. */
  makeHeaders: () => Record<string, string>;
  /** Null sends none. */
  body: string | null;
  /** Byte of the body before which the connection pauses, so that it arrives in two segments. */
  cutAt?: number | undefined;
}

/** How a delivery is changed before it is sent. */
export interface Changes {
  method?: "POST" | "GET";
  /** What is sent and signed; null sends none, under the signature of the delivery's own. */
  body?: string | null;
  /** What is signed in place of what is sent. */
  signedBody?: string;
  /** Signs in place of the receiver's secret. */
  secret?: string;
  also?: readonly string[];
  /** Milliseconds before now that the signature has as its time; negative for one ahead of now. */
  signedAgo?: number;
  /** Replaces the right signature; null leaves the header out. */
  signature?: (right: string) => string | null;
  /** Replaces all headers. */
  headers?: (right: Record<string, string>) => Record<string, string>;
  /** Sends the body in two segments, cut inside this character. */
  cutInside?: string;
}

export interface Craft {
  /** That of the receiver, and one that it does not have. */
  secret: string;
  otherSecret: string;
  /** The secret that was replaced, where it is known. */
  oldSecret: string | undefined;
  /** The right signature of a delivery. */
  signatureOf(delivery: Delivery): string;
  request(what: string, delivery: Delivery, changes?: Changes): CheckRequest;
}

/**
 * Makes requests of deliveries: signs them with the receiver's secret, and spoils them where a hazard says so.
 * @param requests what makes the headers of the sender
 * @param secret as both sides have it, its prefix included
 * @param oldSecret a secret that was replaced
 */
export function createCraft(
  requests: Pick<Sender, "headers" | "read" | "signatureHeader" | "newSecret">,
  { secret, url, oldSecret }: { secret: string; url: string; oldSecret?: string | undefined },
): Craft {
  const { signatureHeader } = requests;
  const makeSecret = (name: string) =>
    requests.newSecret(createHash("sha256").update(`${secret} ${name}`).digest());

  function headersOf(delivery: Delivery, changes: Changes): Record<string, string> {
    const { signedBody, body, signature, signedAgo } = changes;
    const headers = requests.headers({
      ...delivery,
      url,
      secret: changes.secret ?? secret,
      also: changes.also,
      body: signedBody ?? body ?? delivery.body,
      signedAt: signedAgo === undefined ? undefined : wallNow() - signedAgo,
    });
    if (signature !== undefined && signatureHeader !== null) {
      const { signature: right = "" } = requests.read(headers);
      const replaced = signature(right);
      if (replaced === null) delete headers[signatureHeader];
      else headers[signatureHeader] = headers[signatureHeader]!.replace(right, () => replaced);
    }
    return changes.headers?.(headers) ?? headers;
  }

  return {
    ...{ secret, oldSecret, otherSecret: makeSecret("another") },
    signatureOf: (delivery) => requests.read(headersOf(delivery, {})).signature ?? "",
    request(what, delivery, changes = {}) {
      const { method = "POST", body = delivery.body, cutInside } = changes;
      const { subject, type } = delivery;
      const cutAt = body === null || cutInside === undefined ? undefined : byteInside(body, cutInside);
      return { what, subject, type, method, body, cutAt, makeHeaders: () => headersOf(delivery, changes) };
    },
  };
}

/** The place of the second byte of a character. */
const byteInside = (body: string, character: string): number =>
  Buffer.byteLength(body.slice(0, body.indexOf(character))) + 1;

/** The same JSON value in other bytes: each value on a line of its own, and every character beyond ASCII escaped. Numbers stay as they are written. */
export function reformatted(body: string): string {
  const text = body.replaceAll(/"(?:[^"\\]|\\.)*"|[,:{[]/g, (token) =>
    token.length > 1 ? token : token === ":" ? ": " : `${token}\n `,
  );
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A body with another amount; one more field where it has none. */
export function withOtherAmount(body: string): string {
  const changed = body.replace(/("amount\w*":"?)\d/, (_all, before: string) => `${before}9`);
  return changed === body ? mergeOver(body, { amount: 9 }) : changed;
}
