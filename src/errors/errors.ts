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

/** Where a person meets an error: a command's output, an exception in a program, an HTTP answer. */
export type Surface = "command" | "library" | "http";

/** The way out of an error: one text, or one for each surface, which names commands, calls or requests. */
export type Hint = string | Readonly<Record<Surface, string>>;

/** A way out that names an option of the sandbox: commands have it as a flag, everything else as a field. */
export function hintOfOption(flag: string, field: string, words: (option: string) => string): Hint {
  return { command: words(flag), library: words(field), http: words(field) };
}

/** The header by which a client of the control API asks for the hints of its surface. */
export const SURFACE_HEADER = "x-sandbox-surface";

/**
 * An error a person meets outside the emulated platform: what was wrong, with the value and the limit
 * (`message`), and the way out (`hint`). Thrown anywhere, translated once at the edge.
 */
export class SandboxError extends Error {
  readonly code: ErrorCode;
  /** The library's hint: programs catch this error there. */
  readonly hint: string;
  readonly #hint: Hint;

  constructor(code: ErrorCode, message: string, hint: Hint = "") {
    super(message);
    this.name = "SandboxError";
    this.code = code;
    this.#hint = hint;
    this.hint = this.hintFor("library");
  }

  hintFor(surface: Surface): string {
    return typeof this.#hint === "string" ? this.#hint : this.#hint[surface];
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** An area's own refusal, passed on by the control API: with the area's code and status. */
export class ForwardedError extends SandboxError {
  readonly #status: number;

  constructor(code: string, status: number, message: string, hint?: Hint) {
    super(code as ErrorCode, message, hint);
    this.#status = status;
  }

  override get status(): number {
    return this.#status;
  }
}
