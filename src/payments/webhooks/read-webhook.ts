import { invalidSignature, misuse, type SandboxError } from "../../errors/errors.ts";
import { shownValue } from "../../errors/shown.ts";
import { unlessThrown } from "../../runtime/unless-thrown.ts";
import { verifySignature } from "./signature.ts";

/** Headers as Fetch or Node represent them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The default prefix of the platform's headers. */
const HEADER_PREFIX = "X-Platform-";

/** A signed event. Its type may be unknown to this version. */
export interface SignedEvent {
  event: string;
  webhook_id: string;
  timestamp: string;
  data: object;
}

/**
 * Verifies a webhook and reads its event; see `readWebhook` in the library.
 * @throws SandboxError `invalid_signature`, `bad_request`
 */
export function readSignedEvent(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  options: { headerPrefix?: string } = {},
): SignedEvent {
  const name = `${options.headerPrefix ?? HEADER_PREFIX}Signature`;
  const signature = readHeader(headers, name);
  if (!verifySignature(body, signature, secret)) throw signatureError(name, signature);
  const text = typeof body === "string" ? body : Buffer.from(body).toString("utf8");
  const event: unknown = unlessThrown(() => JSON.parse(text));
  if (event === undefined) throw notAnEvent("is not JSON");
  if (!isEvent(event)) throw notAnEvent("lacks event, webhook_id, timestamp or data");
  return event;
}

function readHeader(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === "function") return headers.get(name);
  const wanted = name.toLowerCase();
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === wanted)?.[1];
  return found === undefined ? null : [found].flat().join(", ");
}

function signatureError(name: string, signature: string | null): SandboxError {
  if (signature === null)
    return invalidSignature(
      `The request has no ${name} header.`,
      "Respond with 401: only requests from the platform have this header.",
    );
  if (!/^[0-9a-f]{64}$/i.test(signature))
    return invalidSignature(
      `${name} is not a signature: 64 hexadecimal digits were expected, not ${shownValue(signature)}.`,
      "Respond with 401.",
    );
  return invalidSignature(
    `${name} does not match the body.`,
    "Respond with 401. If the platform sent it, the secret belongs to another endpoint, or the body was changed in transit, for example by a JSON parser.",
  );
}

const notAnEvent = (problem: string) => misuse(`The signed body ${problem}.`, "Respond with 400.");

function isEvent(value: unknown): value is SignedEvent {
  if (typeof value !== "object" || value === null) return false;
  const { event, webhook_id, timestamp, data } = value as Record<string, unknown>;
  return (
    [event, webhook_id, timestamp].every((field) => typeof field === "string") &&
    typeof data === "object" &&
    data !== null
  );
}
