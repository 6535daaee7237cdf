import { readFileSync } from "node:fs";
import type { SecureContext } from "node:tls";
import { runningSandboxes } from "./running-here.ts";

/** Certificates, in PEM, that this thread trusts in addition to Node's. */
const authorities = new Set<string>();
let latest: { count: number; context: SecureContext } | undefined;

/** Trusts these certificates in this thread's connections to sandboxes and to subscribers only. */
export function trustAuthorities(pems: Iterable<string>): void {
  for (const pem of pems) authorities.add(pem);
}

/** The certificates for another thread. */
export const trustedAuthorities = (): string[] => [...authorities];

/** The recorded `https.ca` file of the running sandbox at this address. */
export function recordedAuthority(url: string): string | undefined {
  const { origin } = new URL(url);
  return runningSandboxes().find((running) => running.url === origin)?.ca;
}

/** Trusts the recorded authority of the sandbox at this address. */
export function trustRunningSandbox(url: string): void {
  const file = recordedAuthority(url);
  try {
    if (file !== undefined) authorities.add(readFileSync(file, "utf8"));
  } catch {
    // The connection then fails, as with any untrusted server.
  }
}

/** The trust of a connection; undefined if Node's own is enough, so that nothing is loaded then. */
export function trustedContext(): { secureContext: SecureContext } | undefined {
  if (authorities.size === 0) return undefined;
  if (latest?.count !== authorities.size) {
    const { createSecureContext, getCACertificates } = process.getBuiltinModule("node:tls");
    const ca = [...getCACertificates("default"), ...authorities];
    latest = { count: authorities.size, context: createSecureContext({ ca }) };
  }
  return { secureContext: latest.context };
}

/** Whether Node's code of an error means that a certificate is not trusted. */
export const isUntrusted = (code: string): boolean =>
  /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS_CERT)/.test(code);
