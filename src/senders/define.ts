/**
 * How a sender signs. `docs/sender-fields.md` describes each field.
 * @example
 * const signature: SenderSignature = { header: "Acme-Signature: t={time},v1={signature}", over: "{time}.{body}" };
 */
export interface SenderSignature {
  /** The header and its value, with the places `{signature}`, `{time}`, `{id}` and `{delivery}`. */
  header: string;
  algorithm?: "hmac-sha256" | "hmac-sha1" | "hmac-sha512" | "ed25519" | "none";
  encoding?: "hex" | "base64";
  /** The signed text. Default: `{body}`. */
  over?: string;
  /** How the key is written in the secret. Default: `text`. */
  secret?: "text" | "base64";
  /** Begins every secret; it is taken off a base64 one. */
  prefix?: string;
  time?: "seconds" | "milliseconds" | "iso";
  /** Which clock `{time}` shows. Default: `real`, as verifiers compare it with the machine's. */
  clock?: "real" | "virtual";
  /** What each further signature adds while a secret is replaced. */
  also?: string;
  /** How old a signature the sender's own verifier accepts. */
  tolerance?: string | number;
  /** What that verifier does with a signature from further ahead than that. Default: `refused`. */
  ahead?: "refused" | "accepted";
}

/**
 * A sender of webhooks, as its file describes it.
 * @example
 * const acme: SenderDefinition = {
 *   name: "acme",
 *   events: { "order.paid": { body: { id: "evt_1", type: "order.paid" } } },
 *   signature: { header: "Acme-Signature: {signature}" },
 * };
 */
export interface SenderDefinition {
  name: string;
  documentation?: string;
  read?: string;
  assumed?: string[];
  notes?: string[];
  /** A body for each type, written here or in a JSON file beside this one. */
  events: Record<string, string | { body: object }>;
  /** The types that `explore` sends one after another, unless others are named. Default: all. */
  story?: string[];
  type?: string;
  id?: string;
  idLike?: string;
  /** Where a body names what the event is about, such as an order. */
  about?: string[];
  time?: string;
  unit?: "seconds" | "milliseconds" | "iso";
  headers?: Record<string, string>;
  signature: SenderSignature;
  /** How large a body can be, bytes. */
  largest?: number;
  retries?: {
    delays?: (string | number)[];
    every?: string | number;
    for?: string | number;
    jitter?: number;
  };
  timeout?: string | number;
  success?: string | number;
  gone?: number;
  disable?: "never" | { failures: number } | { "failing-for": string | number };
  order?: "none" | "endpoint";
  /** Whether a person can have an event sent again, as by a button of a dashboard. Default: `false`. */
  resend?: boolean;
  /** Signs what no algorithm does: returns what stands for `{signature}`. @param values by the names of places: `body`, `time`, `id` */
  sign?: (values: Readonly<Record<string, string>>, secret: string) => string;
}

/**
 * Types a sender for the editor; returns it unchanged.
 * @example
 * export default defineSender({
 *   name: "acme",
 *   events: { "order.paid": { body: { id: "evt_1", type: "order.paid" } } },
 *   signature: { header: "Acme-Signature: {signature}" },
 * });
 */
export function defineSender(sender: SenderDefinition): SenderDefinition {
  return sender;
}
