import { sign } from "../payments/webhooks/signature.ts";
import type { Delivery } from "./shop.ts";

/** A request to the receiver. */
export interface CheckRequest {
  /** What it is, for people: `the event, signed with another secret`. */
  what: string;
  method: "POST" | "GET";
  headers: Record<string, string>;
  /** Null sends none. */
  body: string | null;
}

/** How a delivery is changed before it is sent. */
export interface Changes {
  method?: "POST" | "GET";
  /** Null sends none. */
  body?: string | null;
  /** The signature header; null leaves it out. By default the right one for the body, with the receiver's secret. */
  signature?: string | null;
  /** More headers, named without the platform's prefix; they replace those of the same name. */
  headers?: Record<string, string>;
}

export type Craft = ReturnType<typeof createCraft>;

/**
 * Makes requests of deliveries: signs them with the receiver's secret, and spoils them where a hazard says so.
 * @param secret as both sides have it, `whsec_` included
 * @param prefix of the platform's header names, such as `X-Platform-`
 */
export function createCraft(secret: string, prefix: string) {
  const signatureOf = (body: string) => sign(body, secret);

  return {
    /** The right signature of a body. */
    signatureOf,

    /** A signature made with another secret. */
    forgedSignatureOf: (body: string) => sign(body, `${secret}-another`),

    request(what: string, delivery: Delivery, changes: Changes = {}): CheckRequest {
      const { method = "POST", body = delivery.body, headers = {} } = changes;
      const signature = changes.signature === undefined ? signatureOf(body ?? "") : changes.signature;
      const all: Record<string, string> = { ...delivery.headers };
      for (const [name, value] of Object.entries(headers)) all[prefix + name] = value;
      delete all[`${prefix}Signature`];
      if (signature !== null) all[`${prefix}Signature`] = signature;
      return { what, method, headers: all, body };
    },
  };
}

/** A body with its JSON value changed, written as the platform writes it. */
export function rewritten(body: string, change: (event: EventBody) => unknown): string {
  return JSON.stringify(change(JSON.parse(body) as EventBody));
}

/** The same JSON value in other bytes: indented, and every character beyond ASCII escaped. */
export function reformatted(body: string): string {
  const text = JSON.stringify(JSON.parse(body), null, 2);
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A delivery's body. */
export interface EventBody {
  event: string;
  webhook_id: string;
  timestamp: string;
  data: { id: string; amount: string } & Record<string, unknown>;
}
