import { randomBytes } from "node:crypto";
import { wallNow } from "../../world/clock.ts";

/** The beginning of all names that a trial gives, recognizably Sandglass's. */
export const PREFIX = "sandglass_trial";

/** A name for a copy; later ones sort last. @param of what its name says of the copied database */
export const drawName = (of = ""): string =>
  `${PREFIX}_${of}${wallNow().toString(36)}_${randomBytes(4).toString("hex")}`;
