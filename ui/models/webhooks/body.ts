/** A body as it is best read: JSON with its lines, anything else as it came. */
export function readable(body: string | null): string {
  if (body === null || body === "") return "";
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
