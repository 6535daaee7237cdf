import { createHmac, createPrivateKey, sign as signWithKey } from "node:crypto";
import { wallNow } from "../world/clock.ts";
import { iso, SECOND } from "../world/duration.ts";

/** How a sender signs its requests, in the words of its file. */
export interface Signing {
  /** The header and its value: `Acme-Signature: t={time},v1={signature}`. */
  header: string;
  algorithm: "hmac-sha256" | "hmac-sha1" | "hmac-sha512" | "ed25519" | "none";
  encoding: "hex" | "base64";
  /** The signed text: `{time}.{body}`; also `{id}`, `{url}` and `{delivery}`. */
  over: string;
  /** How the key is written in the secret. */
  secret: "text" | "base64";
  /** Begins every secret; it is taken off a base64 one before that is read. */
  prefix: string;
  /** How `{time}` is written. */
  time: "seconds" | "milliseconds" | "iso";
  /** Which clock `{time}` shows: verifiers that refuse an old signature compare it with the machine's. */
  clock: "real" | "virtual";
  /** What each further signature adds to the header while a secret is replaced: `,v1={signature}`. */
  also?: string | undefined;
  /** How old a signature its verifiers accept, milliseconds. */
  tolerance?: number | undefined;
  /** What they do with a time further ahead than that. */
  ahead?: "refused" | "accepted";
}

/** What the places in a template stand for. */
export type Values = Readonly<Record<string, string>>;

/** A text with places such as `{time}`. */
export function template(text: string): (values: Values) => string {
  const parts = text.split(/\{(\w+)\}/);
  return (values) => {
    let filled = parts[0]!;
    for (let index = 1; index < parts.length; index += 2)
      filled += (values[parts[index]!] ?? "") + parts[index + 1]!;
    return filled;
  };
}

/** What stands in the places of a template in a text that it made; empty where the text is another. */
export function readTemplate(text: string, filled: string): Record<string, string> {
  const escaped = text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  const pattern = escaped.replace(/\{(\w+)\}/g, "(?<$1>[^\\s,;]+)");
  return { ...new RegExp(`^${pattern}`).exec(filled)?.groups };
}

/** An instant as signatures have it. @param at milliseconds */
export const timeText = (unit: Signing["time"], at: number): string =>
  unit === "iso" ? iso(at) : String(unit === "seconds" ? Math.floor(at / SECOND) : at);

/** The time that a signature made now has. @param at virtual milliseconds */
export const signingTime = ({ clock, time }: Signing, at: number): string =>
  timeText(time, clock === "real" ? wallNow() : at);

/** The key that a secret stands for; a text stays one, as Node makes an HMAC's key of it in a quarter of the time. */
const keyOf = ({ secret: form, prefix }: Signing, secret: string): string | Buffer =>
  form === "text"
    ? secret
    : Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, "base64");

/** What comes before the 32 bytes of an Ed25519 key in PKCS #8. */
const ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");

/** The signature of a text. */
export function digest(signing: Signing, text: string, secret: string): string {
  const { algorithm, encoding } = signing;
  if (algorithm === "none") return "";
  const key = keyOf(signing, secret);
  if (algorithm !== "ed25519")
    return createHmac(algorithm.slice("hmac-".length), key).update(text).digest(encoding);
  const pkcs8 = Buffer.concat([ED25519, Buffer.from(key).subarray(0, 32)]);
  const privateKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  return signWithKey(null, Buffer.from(text), privateKey).toString(encoding);
}

/** Splits `Name: value`. */
export function headerOf({ header }: Signing): { name: string; value: string } {
  const colon = header.indexOf(":");
  return { name: header.slice(0, colon).trim(), value: header.slice(colon + 1).trim() };
}
