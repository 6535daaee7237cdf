import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { inPackage } from "../runtime/package.ts";

/** What `init` knows about a sender's secret. */
const secretOf = (name: string): { secret?: string; isHex?: boolean } =>
  JSON.parse(readFileSync(inPackage("fixtures/init/senders.json"), "utf8"))[name] ?? {};

/** The variable in which servers usually store a sender's secret. */
export const secretVariable = (name: string): string =>
  secretOf(name).secret ?? `${name.toUpperCase().replaceAll("-", "_")}_WEBHOOK_SECRET`;

/** A secret for one run, derived from a string. Most senders accept a secret with this prefix. */
export function madeSecret(name: string, from: string): string {
  const hash = createHash("sha256").update(from);
  return secretOf(name).isHex ? hash.digest("hex") : `whsec_${hash.digest("base64")}`;
}
