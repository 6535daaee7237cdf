/** Codes of the errors that Sandglass itself reports (control API, CLI, library), with their HTTP status. */
export const ERROR_STATUS = {
  bad_request: 400,
  invalid_duration: 400,
  invalid_time: 400,
  invalid_config: 400,
  invalid_scenario: 400,
  invalid_state: 409,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  internal: 500,
  missing_binding: 500,
  port_taken: 409,
  unreachable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/**
 * An error a person meets outside the emulated platform: what was wrong, with the value and the limit
 * (`message`), and the way out (`hint`). Thrown anywhere, translated once at the edge.
 */
export class SandboxError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint = "") {
    super(message);
    this.name = "SandboxError";
    this.code = code;
    this.hint = hint;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}
