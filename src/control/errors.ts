import { SandboxError } from "../errors.ts";
import { GAME_ERRORS, GameError } from "../game/errors.ts";
import { explainFrameworkError } from "../http/server.ts";
import { ValidationError } from "../http/validation.ts";
import { violationMessage } from "../http/violation-text.ts";
import { PlatformError } from "../payments/errors.ts";

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
  if (error instanceof PlatformError) return new PlatformRefusal(error);
  if (error instanceof GameError) return new GameRefusal(error);
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

/** The platform's own refusal, with its code and status. */
class PlatformRefusal extends SandboxError {
  readonly #status: number;
  constructor(error: PlatformError) {
    super(error.code as never, error.message, refusalHint(error));
    this.#status = error.status;
  }
  override get status(): number {
    return this.#status;
  }
}

function refusalHint({ code, param }: PlatformError): string {
  if (param !== undefined) return `The field at fault is ${param}.`;
  return code.startsWith("key_") ? "GET /_sandbox/status shows the keys that work here." : "";
}

/** The game launcher's own refusal, with its class as code, and its status. */
class GameRefusal extends SandboxError {
  readonly #status: number;
  constructor(error: GameError) {
    super(GAME_ERRORS[error.name].className.replaceAll("-", "_") as never, error.message);
    this.#status = error.code;
  }
  override get status(): number {
    return this.#status;
  }
}
