import { CALL_HINT, type ErrorCode, SandboxError } from "../errors/errors.ts";

/** The FeathersJS error classes that the area uses. See docs/errors.md, "Game launcher". */
export const GAME_ERRORS = {
  BadRequest: { code: 400, className: "bad-request" },
  NotAuthenticated: { code: 401, className: "not-authenticated" },
  PaymentError: { code: 402, className: "payment-error" },
  Forbidden: { code: 403, className: "forbidden" },
  NotFound: { code: 404, className: "not-found" },
  MethodNotAllowed: { code: 405, className: "method-not-allowed" },
  Timeout: { code: 408, className: "timeout" },
  Conflict: { code: 409, className: "conflict" },
  Gone: { code: 410, className: "gone" },
  TooManyRequests: { code: 429, className: "too-many-requests" },
  GeneralError: { code: 500, className: "general-error" },
  NotImplemented: { code: 501, className: "not-implemented" },
  BadGateway: { code: 502, className: "bad-gateway" },
  Unavailable: { code: 503, className: "unavailable" },
} as const;

export type GameErrorName = keyof typeof GAME_ERRORS;

/** An error as the area's callers receive it. Any code in the area may throw it; the routes turn it into a response. */
export class GameError extends Error {
  override readonly name: GameErrorName;
  /** The HTTP status. It differs from the class's default only if a fault sets it. */
  readonly code: number;
  readonly headers: Record<string, string>;

  constructor(
    name: GameErrorName,
    message: string,
    { code, headers = {} }: { code?: number; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = name;
    this.code = code ?? GAME_ERRORS[name].code;
    this.headers = headers;
  }

  /** The response body. See docs/errors.md, "Game launcher". */
  body() {
    const { name, message, code } = this;
    const { className } = GAME_ERRORS[name];
    return { name, message, code, className, data: { success: false as const, error: message } };
  }
}

export const badRequest = (message: string) => new GameError("BadRequest", message);
export const notAuthenticated = (message: string) => new GameError("NotAuthenticated", message);
export const forbidden = (message: string) => new GameError("Forbidden", message);
export const notFound = (message: string) => new GameError("NotFound", message);

/** Creates an error of the class for an HTTP status, or of class `fallback` if there isn't one. */
export function errorOfStatus(
  status: number,
  fallback: GameErrorName,
  message: string,
  headers: Record<string, string> = {},
): GameError {
  const names = Object.keys(GAME_ERRORS) as GameErrorName[];
  const name = names.find((each) => GAME_ERRORS[each].code === status) ?? fallback;
  return new GameError(name, message, { code: status, headers });
}

/** Converts the launcher's own error to a SandboxError with its class as the code; undefined for other errors. */
export function asSandboxError(error: unknown): SandboxError | undefined {
  if (!(error instanceof GameError)) return undefined;
  const code = GAME_ERRORS[error.name].className.replaceAll("-", "_");
  return new SandboxError(code as ErrorCode, error.message, CALL_HINT, error.code);
}
