/** The response key for an error message: `error` in the lookup, `message` in the explorer API. */
export type ErrorKey = "error" | "message";

/** An error as the area's callers receive it. Any code in the area may throw it; the routes turn it into a response. */
export class DataError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = "DataError";
    this.status = status;
    this.headers = headers;
  }
}

export function badRequest(message: string): DataError {
  return new DataError(400, message);
}
