import { Finding } from "./finding.ts";

/** A response from the server, parsed if it is JSON. */
export interface ApiAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies have many shapes
  body: any;
}

/** Calls a server as a well-behaved client: with a JSON body and the seeded key. */
export async function call(
  base: string,
  method: string,
  path: string,
  body?: object | Uint8Array<ArrayBuffer>,
  { headers = {} }: { headers?: Record<string, string> } = {},
): Promise<ApiAnswer> {
  const bytes = body instanceof Uint8Array;
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(path.includes("/platform/") ? { authorization: "Bearer sk_sandbox_write" } : {}),
      ...(body === undefined
        ? {}
        : { "content-type": bytes ? "application/octet-stream" : "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: bytes ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}

/**
 * The body of a response.
 * @throws Finding for any status other than 2xx
 */
// biome-ignore lint/suspicious/noExplicitAny: bodies have many shapes
export async function must(...args: Parameters<typeof call>): Promise<any> {
  const { status, body } = await call(...args);
  if (status >= 300) throw new Finding(`${args[1]} ${args[2]} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Downloads a snapshot of a world: the bytes of its database. */
export async function download(base: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(`${base}/_sandbox/snapshots/${name}/download`);
  return new Uint8Array(await response.arrayBuffer());
}
