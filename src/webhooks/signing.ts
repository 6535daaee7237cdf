import {
  createECDH,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  sign as signWithKey,
  verify as verifyWithKey,
} from "node:crypto";
import { compare } from "../runtime/compare.ts";
import { wallNow } from "../world/clock.ts";
import { iso, SECOND } from "../world/duration.ts";

/** How a sender signs its requests, in the format of its file. */
export interface Signing {
  /** The header and its value: `Acme-Signature: t={time},v1={signature}`; empty if the signature is in the body. */
  header: string;
  /** Where in the body the signature is. */
  place?: string | undefined;
  algorithm: "hmac-sha256" | "hmac-sha1" | "hmac-sha512" | "ed25519" | "jwt-es256" | "secret" | "none";
  encoding: "hex" | "base64";
  /** The signed text: `{time}.{body}`; `{id}`, `{url}`, `{delivery}` and places in the body can be used, too. */
  over: string;
  /** How the secret encodes the key. */
  secret: "text" | "base64" | "hex";
  /** The key id of a JSON Web Token; the private key is derived from it. */
  key?: string | undefined;
  /** The prefix of every secret, removed before decoding base64. */
  prefix: string;
  /** The format of `{time}`. */
  time: "seconds" | "milliseconds" | "iso";
  /** Which clock `{time}` shows. Verifiers that reject old signatures compare them with the machine's clock. */
  clock: "real" | "virtual";
  /** What each additional signature appends to the header during a secret rotation: `,v1={signature}`. */
  also?: string | undefined;
  /** How old a signature may be for its verifiers, in milliseconds; `any` if they ignore the time. */
  tolerance?: number | "any" | undefined;
  /** How the sender's verifiers treat a time that is further in the future than the tolerance. */
  ahead?: "refused" | "accepted";
}

/** The values of a template's placeholders. */
export type Values = Readonly<Record<string, string>>;

/** Compiles a template with placeholders such as `{time}`. */
export function template(text: string): (values: Values) => string {
  const parts = text.split(/\{(body\.[^{}]+|\w+)\}/);
  return (values) => {
    let filled = parts[0]!;
    for (let index = 1; index < parts.length; index += 2)
      filled += (values[parts[index]!] ?? "") + parts[index + 1]!;
    return filled;
  };
}

/** Extracts the values of a template's placeholders from its output; empty if the text does not match. */
export function readTemplate(text: string, filled: string): Record<string, string> {
  const escaped = text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  const pattern = escaped.replace(/\{(\w+)\}/g, "(?<$1>[^\\s,;]+)");
  return { ...new RegExp(`^${pattern}`).exec(filled)?.groups };
}

/** Formats an instant for a signature. @param at milliseconds */
export const timeText = (unit: Signing["time"], at: number): string =>
  unit === "iso" ? iso(at) : String(unit === "seconds" ? Math.floor(at / SECOND) : at);

/**
 * Formats an instant like an example: in seconds, in milliseconds, or as a date in UTC with as many decimals.
 * @param at milliseconds
 */
export function timeLike(example: string, at: number): string {
  if (/^\d+$/.test(example)) return timeText(example.length > 10 ? "milliseconds" : "seconds", at);
  const { decimals = "", zone = "Z" } =
    /T[\d:]+(?<decimals>\.\d+)?(?<zone>Z|\+00:00)$/.exec(example)?.groups ?? {};
  const [seconds, fraction] = iso(at).slice(0, -1).split(".");
  return `${seconds}${`.${fraction}`.padEnd(decimals.length, "0").slice(0, decimals.length)}${zone}`;
}

/** The time to put in a signature made now. @param at virtual milliseconds */
export const signingTime = ({ clock, time }: Signing, at: number): string =>
  timeText(time, clock === "real" ? wallNow() : at);

/** Decodes a secret to its key. Text stays a string, which makes Node's HMAC four times as fast. */
const keyOf = ({ secret: form, prefix }: Signing, secret: string): string | Buffer =>
  form === "text"
    ? secret
    : Buffer.from(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, form);

/** The PKCS #8 prefix of the 32 bytes of an Ed25519 key. */
const ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");
const ED25519_BYTES = 32;

/** Derives a private key from a secret, because only the sender has the real key. */
function ed25519Key(signing: Signing, secret: string) {
  const key = keyOf(signing, secret);
  const seed =
    typeof key === "string" ? createHash("sha256").update(key).digest() : key.subarray(0, ED25519_BYTES);
  return createPrivateKey({ key: Buffer.concat([ED25519, seed]), format: "der", type: "pkcs8" });
}

/** The private key for a key id, as a JSON Web Key; `d` is the private part. */
function es256Key(id: string) {
  const curve = createECDH("prime256v1");
  const d = createHash("sha256").update(id).digest();
  curve.setPrivateKey(d);
  const point = curve.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  return { kty: "EC", crv: "P-256", x: x!, y: y!, d: d.toString("base64url") };
}

const encoded = (text: string): string => Buffer.from(text).toString("base64url");
const es256 = (key: ReturnType<typeof createPublicKey>) => ({ key, dsaEncoding: "ieee-p1363" as const });

/** Creates a JSON Web Token. @param payload JSON */
function token({ key: kid = "" }: Signing, payload: string): string {
  const signed = `${encoded(JSON.stringify({ alg: "ES256", kid, typ: "JWT" }))}.${encoded(payload)}`;
  const key = createPrivateKey({ key: es256Key(kid), format: "jwk" });
  return `${signed}.${signWithKey("sha256", Buffer.from(signed), es256(key)).toString("base64url")}`;
}

/** Whether a text is a token signed with this key, with the payload expected for its time. */
export function isToken({ key = "" }: Signing, text: string, expected: (time: string) => string): boolean {
  const [header = "", payload = "", signature = ""] = text.split(".");
  const written = Buffer.from(payload, "base64url").toString();
  const [, time = ""] = /"iat":(\d+)/.exec(written) ?? [];
  const { d: _, ...jwk } = es256Key(key);
  const publicKey = createPublicKey({ key: jwk, format: "jwk" });
  const signed = Buffer.from(`${header}.${payload}`);
  return (
    written === expected(time) &&
    verifyWithKey("sha256", signed, es256(publicKey), Buffer.from(signature, "base64url"))
  );
}

/** The key with which a subscriber verifies: the secret, or the public key of the Ed25519 key derived from it. */
export function verifyingKey(signing: Signing, secret: string): string {
  if (signing.algorithm !== "ed25519" || signing.secret !== "text") return secret;
  const spki = createPublicKey(ed25519Key(signing, secret)).export({ format: "der", type: "spki" });
  return spki.subarray(-ED25519_BYTES).toString(signing.encoding);
}

export const hashOf = (body: string): string => createHash("sha256").update(body).digest("hex");

/** A form's fields sorted by name, each name followed by its value, as Twilio signs them. */
export const parametersOf = (body: string): string =>
  [...new URLSearchParams(body)]
    .toSorted(([one, first], [other, second]) => compare(one, other) || compare(first, second))
    .map(([name, value]) => name + value)
    .join("");

export function digest(signing: Signing, text: string, secret: string): string {
  const { algorithm, encoding } = signing;
  if (algorithm === "none") return "";
  if (algorithm === "secret") return secret;
  if (algorithm === "jwt-es256") return token(signing, text);
  if (algorithm === "ed25519")
    return signWithKey(null, Buffer.from(text), ed25519Key(signing, secret)).toString(encoding);
  return createHmac(algorithm.slice("hmac-".length), keyOf(signing, secret)).update(text).digest(encoding);
}

export function headerOf({ header }: Signing): { name: string; value: string } {
  const colon = header.indexOf(":");
  return { name: header.slice(0, colon).trim(), value: header.slice(colon + 1).trim() };
}
