import { randomBytes } from "node:crypto";
import { wallNow } from "../../world/clock.ts";

/** The prefix of all names created by a trial, which marks them as Sandglass's. */
export const PREFIX = "sandglass_trial";

/** Creates a name for a copy. Later names sort last. @param of the part that describes the copied database */
export const drawName = (of = ""): string =>
  `${PREFIX}_${of}${wallNow().toString(36)}_${randomBytes(4).toString("hex")}`;

/** The same database server's address with another database. */
export function atDatabase(address: string, database: string): string {
  const url = new URL(address);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.href;
}
