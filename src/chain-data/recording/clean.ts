import type { Definition } from "../providers/recordings.ts";

/** Names of query parameters whose values are private. */
const SECRET_PARAMETER =
  /^(?:api[-_]?key|key|(?:access[-_]?)?token|auth|authorization|(?:client[-_]?)?secret|client[-_]?id|sig(?:nature)?|password)$/i;
const REDACTED = "[redacted]";
/** Shorter values are words that occur anywhere. */
const SHORTEST_SECRET = 6;

/**
 * A recorded exchange the way it is kept: said to come from where the sandbox asks, without the headers of request
 * and answer, without parameters that look like secrets, and without the secrets' text in the answer.
 * @param base the real base URL, without a trailing slash
 * @param replayedAt the base URL that takes its place
 * @param secrets texts that were sent as headers
 */
export function cleanDefinition(
  { scope, path, status, response }: Definition,
  base: string,
  replayedAt: string,
  secrets: readonly string[],
): Definition {
  const real = new URL(path, scope);
  const url = new URL(replayedAt + real.href.slice(new URL(base).href.replace(/\/$/, "").length));
  for (const name of [...url.searchParams.keys()])
    if (SECRET_PARAMETER.test(name)) url.searchParams.delete(name);
  return {
    scope: `${url.protocol}//${url.host}:${url.port || 443}`,
    method: "GET",
    path: url.pathname + url.search,
    status: status ?? 200,
    response: JSON.parse(redacted(JSON.stringify(response), secrets)) as unknown,
    rawHeaders: { "content-type": "application/json; charset=utf-8" },
  };
}

function redacted(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, secret.replace(/^\S+ /, "")])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((left, secret) => left.replaceAll(JSON.stringify(secret).slice(1, -1), REDACTED), text);
}
