import { diskFull, meansDiskFull } from "../errors/disk-full.ts";
import { CALL_HINT, internalError, misuse, SandboxError } from "../errors/errors.ts";
import { explainFrameworkError } from "../http/server.ts";
import { ValidationError } from "../http/validation.ts";
import { violationMessage } from "../http/violation-text.ts";
import { AREAS } from "../sandbox/areas.ts";

/** The code and hint for each kind of error that the framework throws. */
const FRAMEWORK_ERRORS = {
  "content-type": ["unsupported_media_type", "Add the header content-type: application/json."],
  size: ["payload_too_large", "Send a smaller body."],
  body: ["bad_request", "Send a JSON object."],
  request: ["bad_request", "Send a JSON object."],
} as const;

/** Converts any error to a SandboxError. @param bodyLimit the route's body limit, if it is not the default */
export function asSandboxError(error: unknown, bodyLimit?: number): SandboxError {
  if (error instanceof SandboxError) return error;
  if (error instanceof ValidationError)
    return misuse(violationMessage(error.violation), CALL_HINT, error.violation.field || undefined);
  for (const area of AREAS) {
    const forwarded = area.translate?.(error);
    if (forwarded) return forwarded;
  }
  if (meansDiskFull(error)) return diskFull((error as NodeJS.ErrnoException).path);
  const explanation = explainFrameworkError(error, bodyLimit);
  if (explanation) {
    const [code, hint] = FRAMEWORK_ERRORS[explanation.kind];
    return new SandboxError(code, explanation.message, hint);
  }
  console.error(error);
  return internalError(
    "An unexpected error occurred in the sandbox; its log has the details.",
    "Please report it.",
  );
}
