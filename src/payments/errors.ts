import { CALL_HINT, type Hint, SandboxError } from "../errors/errors.ts";
import { clip } from "../http/violation-text.ts";
import { Refusal } from "../webhooks/errors.ts";

/** Every error code of the platform, with its type and HTTP status. See docs/errors.md. */
export const PLATFORM_ERRORS = {
  missing_required_field: { type: "invalid_request_error", status: 400 },
  invalid_field_value: { type: "invalid_request_error", status: 400 },
  invalid_address: { type: "invalid_request_error", status: 400 },
  no_updates_provided: { type: "invalid_request_error", status: 400 },
  invalid_status_transition: { type: "invalid_request_error", status: 400 },
  duplicate_resource: { type: "invalid_request_error", status: 409 },
  key_missing: { type: "authentication_error", status: 401 },
  key_invalid: { type: "authentication_error", status: 401 },
  key_expired: { type: "authentication_error", status: 401 },
  key_revoked: { type: "authentication_error", status: 401 },
  insufficient_permissions: { type: "permission_error", status: 403 },
  resource_not_found: { type: "not_found_error", status: 404 },
  rate_limit_exceeded: { type: "rate_limit_error", status: 429 },
  idempotency_conflict: { type: "idempotency_error", status: 409 },
  internal_error: { type: "api_error", status: 500 },
} as const;

export type PlatformErrorCode = keyof typeof PLATFORM_ERRORS;

/**
 * An error of the platform, as API callers see it. Any part of the area may throw it; the routes convert it to a
 * response.
 */
export class PlatformError extends Error {
  readonly code: PlatformErrorCode;
  readonly param: string | undefined;
  /** Response headers that belong to the error, such as Retry-After. */
  readonly headers: Record<string, string>;
  /** The HTTP status. A fault can override the error code's own status. */
  readonly status: number;
  /** A hint for users of the sandbox on how to resolve the error. The real platform's responses contain no hint. */
  readonly hint: Hint | undefined;

  constructor(
    code: PlatformErrorCode,
    message: string,
    param?: string,
    headers: Record<string, string> = {},
    status: number = PLATFORM_ERRORS[code].status,
    hint?: Hint,
  ) {
    super(message);
    this.name = "PlatformError";
    this.code = code;
    this.param = param;
    this.headers = headers;
    this.status = status;
    this.hint = hint;
  }

  /** The response body, with the single key `error`. */
  body() {
    const { type } = PLATFORM_ERRORS[this.code];
    const { code, message, param } = this;
    return { error: { type, code, message, ...(param === undefined ? {} : { param }) } };
  }
}

/**
 * A resource that is missing, deleted or owned by another organization; callers cannot distinguish these cases.
 * @param param the body field with the id, if the id was not in the path
 */
export function notFound(resource: string, id: string, param?: string): PlatformError {
  return new PlatformError("resource_not_found", `No such ${resource}: '${clip(id)}'.`, param);
}

export function invalidField(param: string, message: string): PlatformError {
  return new PlatformError("invalid_field_value", message, param);
}

/** @param also another field that would satisfy the requirement */
export function missingField(param: string, also = ""): PlatformError {
  return new PlatformError("missing_required_field", `Missing required field: ${param}${also}.`, param);
}

export function duplicate(param: string, message: string): PlatformError {
  return new PlatformError("duplicate_resource", message, param);
}

export function invalidTransition(message: string, param?: string, hint?: Hint): PlatformError {
  return new PlatformError("invalid_status_transition", message, param, undefined, undefined, hint);
}

/** Converts an error of the platform or its webhook engine to a PlatformError; undefined for other errors. */
export function asPlatformError(error: unknown): PlatformError | undefined {
  if (error instanceof PlatformError) return error;
  if (!(error instanceof Refusal)) return undefined;
  const { code, message, param, hint } = error;
  return new PlatformError(code, message, param, undefined, undefined, hint);
}

/** Converts a PlatformError to a SandboxError with its code and status; undefined for other errors. */
export function asSandboxError(error: unknown): SandboxError | undefined {
  const refusal = asPlatformError(error);
  if (!refusal) return undefined;
  const { code, status, message, param } = refusal;
  return new SandboxError(code, message, hintOf(refusal), status, param);
}

function hintOf({ code, hint }: PlatformError): Hint {
  if (hint !== undefined) return hint;
  if (code.startsWith("key_")) return "GET /_sandbox/status shows the valid keys.";
  if (code === "invalid_status_transition") return "Use another one, or create one.";
  if (code !== "resource_not_found") return CALL_HINT;
  return {
    command: "List what exists: npx sandglass links, npx sandglass sessions, npx sandglass webhooks",
    library: 'List what exists, for example with platform.call("GET", "/payment-links").',
    http: "GET /_sandbox/links, /_sandbox/sessions and /_sandbox/webhooks list what exists.",
    page: "The resource may have been deleted: the page lists what exists.",
  };
}
