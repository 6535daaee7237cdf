import { shellWord } from "../../src/runtime/shell.ts";

interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | null | undefined;
}

export function curlOf({ method, url, headers, body }: Request): string {
  const lines = [`curl -i -X ${method} ${shellWord(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`  -H ${shellWord(`${name}: ${value}`)}`);
  if (body) lines.push(`  --data-binary ${shellWord(body)}`);
  return lines.join(" \\\n");
}

/** Headers about the connection, which curl sets itself. */
const OF_CONNECTION = new Set(["connection", "content-length", "host", "transfer-encoding"]);

/** A curl command that sends a received request again. */
export function curlOfArrived(request: Request): string {
  const entries = Object.entries(request.headers).filter(([name]) => !OF_CONNECTION.has(name.toLowerCase()));
  return curlOf({ ...request, headers: Object.fromEntries(entries) });
}

/** A call's curl command with the key in place of the shell variable that the server writes. */
export const withKey = (curl: string, key: string): string =>
  curl.replaceAll("$SANDGLASS_API_KEY", key.replaceAll(/[^\w.-]/g, ""));
