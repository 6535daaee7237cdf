import { ApiError } from "../api.ts";
import type { ListQuery } from "../api-types.ts";

export interface Sent {
  query?: ListQuery | [name: string, value: string][] | undefined;
  /** Sent as JSON, unless it is a file. */
  body?: unknown;
}

export interface Received<Body> {
  headers: Headers;
  body: Body;
}

export type Send = ReturnType<typeof createSend>;

const OCTETS = "application/octet-stream";

/**
 * Calls below the world's own address of which more than the JSON is wanted: the headers, or files.
 * @param base where the world is served, with a slash at the end
 */
export function createSend(base: string, fetcher: typeof fetch = (...args) => fetch(...args)) {
  async function call(method: string, path: string, { query = [], body }: Sent): Promise<Response> {
    const url = new URL(path, base);
    for (const [name, value] of Array.isArray(query) ? query : Object.entries(query))
      if (value !== undefined && value !== "") url.searchParams.append(name, String(value));
    const type = body instanceof Blob ? OCTETS : "application/json";
    let response: Response;
    try {
      response = await fetcher(url, {
        method,
        headers: body === undefined ? {} : { "content-type": type },
        body: body === undefined || body instanceof Blob ? (body ?? null) : JSON.stringify(body),
      });
    } catch {
      throw new ApiError(0, {
        code: "unreachable",
        message: "The sandbox does not answer.",
        hint: "Is it still running?",
      });
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }

  return {
    async json<Body>(method: string, path: string, sent: Sent = {}): Promise<Received<Body>> {
      const response = await call(method, path, sent);
      return { headers: response.headers, body: (await response.json()) as Body };
    },
    file: async (path: string): Promise<Blob> => (await call("GET", path, {})).blob(),
  };
}

/** An area says what is wrong in a sentence; the control API has a way out beside it. */
async function refusal(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { error?: unknown; message?: unknown };
  const told = body.error ?? body.message;
  if (typeof told === "string") return new ApiError(response.status, { message: told });
  return new ApiError(response.status, Object(told) as ConstructorParameters<typeof ApiError>[1]);
}
