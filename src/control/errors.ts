import { SandboxError } from "../errors/errors.ts";
import { explainFrameworkError } from "../http/server.ts";
import { ValidationError } from "../http/validation.ts";
import { violationMessage } from "../http/violation-text.ts";
import { AREAS } from "../sandbox/areas.ts";

/** Whatever went wrong, in Sandglass's own form. */
export function asSandboxError(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  if (error instanceof ValidationError)
    return new SandboxError("bad_request", violationMessage(error.violation), {
      // The command line adds how to get the command's help.
      command: "",
      library: "The types of the call show what it takes.",
      http: "GET /_sandbox/openapi.json shows what this call takes.",
    });
  for (const area of AREAS) {
    const forwarded = area.translate?.(error);
    if (forwarded) return forwarded;
  }
  const known = explainFrameworkError(error);
  if (known?.kind === "content-type")
    return new SandboxError(
      "unsupported_media_type",
      known.message,
      "Add the header content-type: application/json.",
    );
  if (known?.kind === "size") return new SandboxError("payload_too_large", known.message, "Send less.");
  if (known) return new SandboxError("bad_request", known.message, "Send a JSON object.");
  console.error(error);
  return new SandboxError(
    "internal",
    "An unexpected error occurred in the sandbox; its log has the details.",
    "Please report it.",
  );
}
