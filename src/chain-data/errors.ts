/** The key under which an error's sentence is sent: `error` by the lookup, `message` by the explorer. */
export type ErrorKey = "error" | "message";

/** An error of the area as its callers get it. It is thrown anywhere in the area, and the routes translate it. */
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
