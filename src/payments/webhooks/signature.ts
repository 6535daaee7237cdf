import { createHmac, timingSafeEqual } from "node:crypto";
import { misuse } from "../../errors/errors.ts";

/**
 * Signs a webhook body.
 * @param body the raw request body
 * @param secret the endpoint's signing secret, including the prefix (`whsec_…`)
 * @returns the hex HMAC-SHA256 digest, 64 characters
 */
export function sign(body: string | Uint8Array, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/**
 * Verifies a webhook signature in constant time. Call it before parsing the body.
 * @param body the raw request body, exactly as received
 * @param signature the value of the signature header; anything but 64 hex digits is refused
 * @param secret the endpoint's signing secret
 * @throws SandboxError `bad_request` for a parsed body, and for a missing secret, because anyone could sign with an
 * empty secret
 * @example if (!verifySignature(await request.text(), request.headers.get("x-platform-signature"), secret)) return
 * forbidden();
 */
export function verifySignature(
  body: string | Uint8Array,
  signature: string | null | undefined,
  secret: string,
): boolean {
  if (typeof body !== "string" && !ArrayBuffer.isView(body))
    throw misuse(
      `The body to verify must be a string or bytes, not ${body === null ? "null" : typeof body}.`,
      "Pass the raw body before anything parses it, for example from express.raw() or await request.text().",
    );
  if (typeof secret !== "string" || secret === "")
    throw misuse(
      `The signing secret ${secret === "" ? "is empty" : `must be a string, not ${typeof secret}`}.`,
      "Pass the endpoint's secret, whsec_…, as it was shown when the endpoint was created.",
    );
  if (typeof signature !== "string" || !/^[0-9a-f]{64}$/i.test(signature)) return false;
  return timingSafeEqual(Buffer.from(signature, "hex"), Buffer.from(sign(body, secret), "hex"));
}
