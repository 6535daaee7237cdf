import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SecureContext } from "node:tls";
import { userFolder } from "./user-folder.ts";

/** Where the user's own certificate authority is, and who trusts it. `certificates/` makes it. */

/** The environment variable that names another folder for it. */
export const FOLDER_VARIABLE = "SANDGLASS_CA_DIR";

/** The folder of this user's certificate authority. */
export function authorityFolder(): string {
  return process.env[FOLDER_VARIABLE] || userFolder("data");
}

/** Its certificate, which is what others trust. */
export const authorityFile = (): string => join(authorityFolder(), "ca.pem");

/** The certificate; undefined for a user who has no authority. */
export function readAuthority(): string | undefined {
  try {
    return readFileSync(authorityFile(), "utf8");
  } catch {
    return undefined;
  }
}

let latest: { authority: string; context: SecureContext } | undefined;

/**
 * Trusts what Node trusts, and this user's authority: for connections to a sandbox and to subscribers. Undefined for a
 * user who has none, so that nothing is loaded then.
 */
export function trustedContext(): { secureContext: SecureContext } | undefined {
  const authority = readAuthority();
  if (authority === undefined) return undefined;
  if (latest?.authority !== authority) {
    const { createSecureContext, getCACertificates } = process.getBuiltinModule("node:tls");
    latest = {
      authority,
      context: createSecureContext({ ca: [...getCACertificates("default"), authority] }),
    };
  }
  return { secureContext: latest.context };
}
