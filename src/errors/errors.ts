/**
 * The code of an error from Sandglass itself, in the library, from commands and over HTTP.
 * @example
 * const code: ErrorCode = "invalid_duration";
 */
export type ErrorCode =
  | "bad_request"
  | "invalid_duration"
  | "invalid_time"
  | "invalid_config"
  | "invalid_scenario"
  | "invalid_fixtures"
  | "invalid_state"
  | "invalid_signature"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "payload_too_large"
  | "unsupported_media_type"
  | "world_full"
  | "disk_full"
  | "internal"
  | "missing_binding"
  | "port_taken"
  | "unreachable";

export const ERROR_STATUS: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  invalid_duration: 400,
  invalid_time: 400,
  invalid_config: 400,
  invalid_scenario: 400,
  invalid_fixtures: 400,
  invalid_state: 409,
  invalid_signature: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  world_full: 507,
  disk_full: 507,
  internal: 500,
  missing_binding: 500,
  port_taken: 409,
  unreachable: 503,
};

/**
 * The code of an error from the emulated payments platform.
 * @example const code: PlatformErrorCode = "invalid_status_transition";
 */
export type PlatformErrorCode =
  | "missing_required_field"
  | "invalid_field_value"
  | "invalid_address"
  | "no_updates_provided"
  | "invalid_status_transition"
  | "duplicate_resource"
  | "key_missing"
  | "key_invalid"
  | "key_expired"
  | "key_revoked"
  | "insufficient_permissions"
  | "resource_not_found"
  | "rate_limit_exceeded"
  | "idempotency_conflict"
  | "internal_error";

/** Where a user sees an error: in a command's output, an exception, an HTTP response or the page. */
export type Surface = "command" | "library" | "http" | "page";

/**
 * How to fix an error: one text, or one per surface, in terms of commands, library calls, requests or the page. The page
 * shows the text for HTTP unless it has its own.
 */
export type Hint = string | Readonly<Record<Exclude<Surface, "page">, string> & { page?: string }>;

/** A hint that mentions an option of the sandbox: as a flag in commands, and as a field everywhere else. */
export function hintOfOption(flag: string, field: string, words: (option: string) => string): Hint {
  return { command: words(flag), library: words(field), http: words(field) };
}

/** The hint for a call that was rejected because of the call itself or one of its fields. */
export const CALL_HINT: Hint = {
  // The command line adds a note on how to show the command's help.
  command: "",
  library: "See the call's TypeScript types for its parameters.",
  http: "GET /_sandbox/openapi.json lists the parameters of this call.",
  page: "Correct the value named in the message, and try again.",
};

/** The header in which a client of the control API specifies the surface for which it wants hints. */
export const SURFACE_HEADER = "x-sandbox-surface";

/**
 * An error from Sandglass: what is wrong, with the value and the limit (`message`), and how to fix it (`hint`). It can be
 * thrown anywhere, and is formatted once, at the edge.
 * @example
 * try {
 *   await sandbox.payments.pay("nothing");
 * } catch (error) {
 *   if (error instanceof SandboxError) console.error(error.code, error.hint);
 * }
 */
export class SandboxError extends Error {
  /** The sandbox's own code, or the platform's code if the platform rejected the call. */
  readonly code: ErrorCode | PlatformErrorCode;
  /** How to fix the problem, in terms of the library, because programs that use the library catch this error. */
  readonly hint: string;
  readonly #hint: Hint;

  /** The HTTP status that this error has or would have. */
  readonly status: number;
  /** The path of the invalid field, such as `metadata.order`; missing if the error is not about a single field. */
  declare readonly param?: string;

  /** @internal */
  constructor(
    code: ErrorCode | PlatformErrorCode,
    message: string,
    hint: Hint,
    status: number = ERROR_STATUS[code as ErrorCode] ?? ERROR_STATUS.internal,
    param?: string,
  ) {
    super(message);
    this.name = "SandboxError";
    this.code = code;
    this.status = status;
    if (param !== undefined) this.param = param;
    this.#hint = hint;
    this.hint = this.hintFor("library");
  }

  /** The same error with another message. @internal */
  static reworded(error: SandboxError, message: string, param: string): SandboxError {
    return new SandboxError(error.code, message, error.#hint, error.status, param);
  }

  /** @internal */
  hintFor(surface: Surface): string {
    if (typeof this.#hint === "string") return this.#hint;
    return this.#hint[surface] ?? this.#hint.http;
  }
}

const errorOf =
  (code: ErrorCode) =>
  (message: string, hint: Hint, param?: string): SandboxError =>
    new SandboxError(code, message, hint, undefined, param);

/** The error for a wrong argument, option or field. */
export const misuse = errorOf("bad_request");
/** The error for something that does not exist. */
export const notFound = errorOf("not_found");
/** The error for something that is impossible in the current state. */
export const invalidState = errorOf("invalid_state");
/** The error for a server that is unreachable or not a sandbox. */
export const unreachable = errorOf("unreachable");
export const conflict = errorOf("conflict");
export const forbidden = errorOf("forbidden");
export const internalError = errorOf("internal");
export const invalidConfig = errorOf("invalid_config");
export const invalidDuration = errorOf("invalid_duration");
export const invalidFixtures = errorOf("invalid_fixtures");
export const invalidSignature = errorOf("invalid_signature");
export const invalidTime = errorOf("invalid_time");
export const portTaken = errorOf("port_taken");
