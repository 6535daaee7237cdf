import { readFileSync } from "node:fs";
import type { SecureContext } from "node:tls";
import { runningSandboxes } from "./running-here.ts";

/** PEM certificates that this thread trusts in addition to Node's own. */
const authorities = new Set<string>();
let latest: { count: number; context: SecureContext } | undefined;

/** Trusts these certificates, but only for connections from this thread to sandboxes and subscribers. */
export function trustAuthorities(pems: Iterable<string>): void {
  for (const pem of pems) authorities.add(pem);
}

/** The trusted certificates, so they can be passed to another thread. */
export const trustedAuthorities = (): string[] => [...authorities];

/** The `https.ca` file that was recorded for the running sandbox at this URL. */
export function recordedAuthority(url: string): string | undefined {
  const { origin } = new URL(url);
  return runningSandboxes().find((running) => running.url === origin)?.ca;
}

/** Trusts the certificate authority that was recorded for the sandbox at this URL. */
export function trustRunningSandbox(url: string): void {
  const file = recordedAuthority(url);
  try {
    if (file !== undefined) authorities.add(readFileSync(file, "utf8"));
  } catch {
    // If the file cannot be read, the connection fails, as it does for any untrusted server.
  }
}

/**
 * TLS options with the trusted certificates; undefined, without loading anything, if Node's own certificates are
 * enough.
 */
export function trustedContext(): { secureContext: SecureContext } | undefined {
  if (authorities.size === 0) return undefined;
  if (latest?.count !== authorities.size) {
    const { createSecureContext, getCACertificates } = process.getBuiltinModule("node:tls");
    const ca = [...getCACertificates("default"), ...authorities];
    latest = { count: authorities.size, context: createSecureContext({ ca }) };
  }
  return { secureContext: latest.context };
}

/** Whether a Node error code means that a certificate is not trusted. */
export const isUntrusted = (code: string): boolean =>
  /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS_CERT)/.test(code);
