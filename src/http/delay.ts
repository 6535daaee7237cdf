import { misuse } from "../errors/errors.ts";
import { MINUTE, parseDuration } from "../world/duration.ts";

/** The maximum delay of a response, in real milliseconds. */
export const MOST_DELAY = MINUTE;

/** Parses the delay of a response into milliseconds. @throws SandboxError `invalid_duration`, `bad_request` */
export function readDelay(value: string | number, field: string): number {
  const ms = parseDuration(value);
  if (ms <= MOST_DELAY) return ms;
  const message = `${field} must be from 0 to ${MOST_DELAY} milliseconds, not ${ms}.`;
  throw misuse(message, "Use a duration such as 500ms or 2s.", field);
}
