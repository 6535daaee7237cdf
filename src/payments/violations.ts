import type { Violation } from "../http/validation.ts";
import { clip, violationMessage } from "../http/violation-text.ts";
import { PlatformError, type PlatformErrorCode } from "./errors.ts";

/** The platform's error for a request that violates a schema. */
export function platformViolation(violation: Violation): PlatformError {
  const param = violation.field === "" ? "body" : clip(violation.field);
  return new PlatformError(codeOf(violation), violationMessage(violation), param);
}

function codeOf({ keyword, format, schema }: Violation): PlatformErrorCode {
  if (keyword === "required") return "missing_required_field";
  const address = format === "address" || (keyword === "type" && schema.format === "address");
  return address ? "invalid_address" : "invalid_field_value";
}
