import { shellWord } from "../../../src/runtime/shell.ts";
import type { Delivery } from "../../api-types.ts";

export const LANGUAGES = ["shell", "node", "python"] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Record<Language, string> = {
  shell: "curl and openssl",
  node: "Node",
  python: "Python",
};

/** Finds the signature header, whatever prefix the platform's headers have. */
export function signatureOf({
  request_headers: headers,
}: Delivery): { header: string; value: string } | undefined {
  const found = Object.entries(headers).find(([name]) => /(?:^|-)signature$/i.test(name));
  return found && { header: found[0], value: found[1] };
}

/** A string literal that is valid in both JavaScript and Python. */
const literal = (text: string) =>
  JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");

/** A complete program that computes the signature again. */
export function checkIn(language: Language, delivery: Delivery, secret: string): string {
  const { header, value } = signatureOf(delivery) ?? { header: "X-Platform-Signature", value: "" };
  const body = delivery.request_body;
  if (language === "node")
    return `import { createHmac, timingSafeEqual } from "node:crypto";

const secret = ${literal(secret)};
const body = ${literal(body)};
const given = ${literal(value)}; // ${header}

const expected = createHmac("sha256", secret).update(body).digest();
console.log(timingSafeEqual(expected, Buffer.from(given, "hex")));
`;
  if (language === "python")
    return `import hashlib, hmac

secret = ${literal(secret)}
body = ${literal(body)}
given = ${literal(value)}  # ${header}

expected = hmac.new(secret.encode(), body.encode(), hashlib.sha256).hexdigest()
print(hmac.compare_digest(expected, given))
`;
  const headers = Object.entries(delivery.request_headers)
    .map(([name, text]) => ` \\\n  -H ${shellWord(`${name}: ${text}`)}`)
    .join("");
  return `SECRET=${shellWord(secret)}
BODY=${shellWord(body)}

# the signature, made again; it must be
# ${value}
printf '%s' "$BODY" | openssl dgst -sha256 -hmac "$SECRET"

# the same request once more, to your own server
curl -i ${shellWord(delivery.url)}${headers} \\
  --data-raw "$BODY"
`;
}

/**
 * Signs a body in this browser; undefined if Web Crypto is not available, as on a page served over HTTP from another
 * machine.
 */
export async function signHere(body: string, secret: string): Promise<string | undefined> {
  const { subtle } = globalThis.crypto ?? {};
  if (!subtle) return undefined;
  const encoder = new TextEncoder();
  const key = await subtle.importKey(
    "raw",
    encoder.encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const digest = new Uint8Array(await subtle.sign("HMAC", key, encoder.encode(body)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
