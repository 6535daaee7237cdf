import { request } from "node:http";
import type { Answer } from "./sandbox.ts";

/**
 * Sends a request exactly as written: any method, a path that is not normalized, any Host header.
 * @param localAddress the address of this machine from which to send it
 */
export function rawCall(
  origin: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
  localAddress?: string,
): Promise<{ status: number; headers: Record<string, string | string[] | undefined>; text: string }> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const call = request(
      { host: hostname, port, method, path, headers, agent: false, localAddress },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => void chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
        response.on("error", reject);
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}

/** Like `rawCall`, but with the body parsed if it is JSON. */
export async function answerTo(...request: Parameters<typeof rawCall>): Promise<Answer> {
  const { headers, ...answer } = await rawCall(...request);
  let body: unknown = answer.text;
  try {
    body = JSON.parse(answer.text);
  } catch {
    // The body is an HTML page.
  }
  return { ...answer, body, headers: new Headers(headers as Record<string, string>) };
}
