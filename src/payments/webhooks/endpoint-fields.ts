import { oneOf } from "../../schema/schema.ts";
import { EVENT_TYPES } from "./event-types.ts";

/** The fields of an endpoint that the configuration and fixtures describe in the same way. */

export const EVENTS = {
  type: "array",
  items: oneOf(...EVENT_TYPES, "*"),
  minItems: 1,
  uniqueItems: true,
  errorMessage: `must be a list of unique event types (${EVENT_TYPES.join(", ")}), or ["*"]`,
} as const;

export const SECRET = {
  type: "string",
  pattern: "^[^\\p{Cc}]{1,200}$",
  errorMessage: "must be a single-line string of 1 to 200 characters",
} as const;
