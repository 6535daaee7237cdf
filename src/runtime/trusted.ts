import { readFileSync } from "node:fs";
import type { SecureContext } from "node:tls";
import { runningSandboxes } from "./running-here.ts";

/** Certificates, in PEM, that this thread trusts beside those that Node trusts. */
const authorities = new Set<string>();
let latest: { count: number; context: SecureContext } | undefined;

/** Trusts these certificates in this thread's connections to sandboxes and to subscribers, and in no others. */
export function trustAuthorities(pems: Iterable<string>): void {
  for (const pem of pems) authorities.add(pem);
}

/** What another thread needs to trust the same. */
export const trustedAuthorities = (): string[] => [...authorities];

/** The file of the `https.ca` that the running sandbox at this address was started with, as far as it was recorded. */
export function recordedAuthority(url: string): string | undefined {
  const { origin } = new URL(url);
  return runningSandboxes().find((running) => running.url === origin)?.ca;
}

/** Trusts that authority. */
export function trustRunningSandbox(url: string): void {
  const file = recordedAuthority(url);
  try {
    if (file !== undefined) authorities.add(readFileSync(file, "utf8"));
  } catch {
    // The connection then fails as one to any server that is not trusted.
  }
}

/** The trust of a connection; undefined where Node's own is all, so that nothing is loaded then. */
export function trustedContext(): { secureContext: SecureContext } | undefined {
  if (authorities.size === 0) return undefined;
  if (latest?.count !== authorities.size) {
    const { createSecureContext, getCACertificates } = process.getBuiltinModule("node:tls");
    const ca = [...getCACertificates("default"), ...authorities];
    latest = { count: authorities.size, context: createSecureContext({ ca }) };
  }
  return { secureContext: latest.context };
}
