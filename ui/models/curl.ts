/** A text as one word of a shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | null | undefined;
}

/** A request as a line for a shell. */
export function curlOf({ method, url, headers, body }: Request): string {
  const lines = [`curl -i -X ${method} ${shellWord(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`  -H ${shellWord(`${name}: ${value}`)}`);
  if (body) lines.push(`  --data-binary ${shellWord(body)}`);
  return lines.join(" \\\n");
}

/** The curl line of a call with the key in place of the shell variable that the server writes. */
export const withKey = (curl: string, key: string): string =>
  curl.replaceAll("$SANDGLASS_API_KEY", key.replaceAll(/[^\w.-]/g, ""));
