import { misuse } from "../errors/errors.ts";
import type { Signing } from "./signing.ts";

/** Prefixes of other kinds of keys: API keys and tokens. */
const OTHER_KEY =
  /^(?:[srp]k_|xox[a-z]-|xapp-|gh[opsur]_|github_pat_|shpat_|lin_api_|polar_[op]at_|pdl_\w+_apikey_|Bearer )/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const HEX = /^(?:[0-9a-f]{2})+$/i;
/** How many characters to show: enough to recognize the secret. */
const SHOWN = 8;
const ED25519_BYTES = 32;

/** The secrets of one address: its own and, after a space and with the same prefix, that of connected accounts. */
export const secretsIn = (secret: string): string[] =>
  /^(\w+?_)\S+ \1\S+$/.test(secret) ? secret.split(" ") : [secret];

/** Copy-and-paste residue around a secret, as the end of a sentence. */
function copiedWith(secret: string): string | undefined {
  if (/[\r\n]/.test(secret)) return "contains a line break";
  if (/^\s|\s$/.test(secret)) return "starts or ends with a space";
  if (/^(["'`]).*\1$/.test(secret)) return "is in quotes";
  return /\p{Cc}/u.test(secret) ? "contains a control character" : undefined;
}

/** What is wrong with a secret, as the end of a sentence; undefined if it is plausible. */
function problemOf({ algorithm, secret: form, prefix }: Signing, secret: string): string | undefined {
  const [other] = OTHER_KEY.exec(secret) ?? [];
  if (other !== undefined && !prefix.startsWith(other))
    return `starts with ${other}, so it is an API key or token, not a webhook endpoint's secret`;
  const key = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  if (key === "") return `has nothing after ${prefix}`;
  if (form === "text") return prefix !== "" && /\s/.test(key) ? "contains a space" : undefined;
  if (form === "hex")
    return HEX.test(key) ? undefined : `is not an even number of hex digits${prefix && ` after ${prefix}`}`;
  if (!BASE64.test(key)) return `is not base64${prefix && ` after ${prefix}`}`;
  const { length } = Buffer.from(key, "base64");
  return algorithm === "ed25519" && length < ED25519_BYTES
    ? `has ${length} bytes, but an Ed25519 key has ${ED25519_BYTES}`
    : undefined;
}

/**
 * Rejects a secret that the sender's own packages reject, or that is obviously wrong: every signature would be wrong,
 * and the server would seem to be at fault.
 * @param name the sender's name
 * @param signing how it signs, which the secret must fit; `any text` rejects only copy-and-paste residue
 * @throws SandboxError `bad_request`
 */
export function checkSecret(name: string, signing: Signing | "any text", secret: string): void {
  const isAny = signing === "any text";
  const problem = copiedWith(secret) ?? (isAny ? undefined : problemOf(signing, secret));
  if (problem === undefined) return;
  const shown = secret.length > SHOWN ? `${secret.slice(0, SHOWN)}…` : secret;
  const looks = isAny
    ? "a string"
    : `${signing.prefix && `${signing.prefix} and then `}${signing.secret === "text" ? "a string" : signing.secret}`;
  throw misuse(
    `The secret ${JSON.stringify(shown)} ${problem}.`,
    `Copy the endpoint's signing secret as ${name} shows it: ${looks}, without quotes or spaces.`,
    "secret",
  );
}
