import { closest } from "../errors/closest.ts";
import { misuse, notFound } from "../errors/errors.ts";
import type { Client, WebhookWithSecret } from "./http.ts";

const NEWEST = "last";

/**
 * Finds a webhook endpoint by its id, its URL, a unique part of its URL, or `last`.
 * @throws SandboxError `not_found`; `bad_request` if several endpoints match
 */
export async function findEndpoint(sandbox: Client, name: string): Promise<WebhookWithSecret> {
  const endpoints = await sandbox.webhooks();
  const matches = matching(endpoints, name);
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0)
    throw notFound(
      endpoints.length === 0 ? "There are no webhook endpoints." : `No webhook endpoint matches '${name}'.`,
      endpoints.length === 0
        ? "Register one: npx sandglass listen --forward-to http://127.0.0.1:3000/webhooks"
        : nearest(endpoints, name),
    );
  throw misuse(
    `${matches.length} webhook endpoints match '${name}'.`,
    `Use the id of one: ${matches.map(({ id, url }) => `${id} (${url})`).join(", ")}`,
  );
}

/** The hint if nothing matches. It suggests the most similar endpoint. */
function nearest(endpoints: readonly WebhookWithSecret[], name: string): string {
  const names = endpoints.flatMap(({ id, url }) => [id, url, new URL(url).host]);
  const meant = closest(name, [NEWEST, ...names]);
  return meant ? `Did you mean: ${meant}` : "List them all: npx sandglass webhooks list";
}

function matching(endpoints: readonly WebhookWithSecret[], name: string): readonly WebhookWithSecret[] {
  // ISO timestamps of the same length can be compared as strings. The sort is stable, and the list starts with the
  // oldest endpoint.
  if (name === NEWEST)
    return endpoints.toSorted((one, other) => one.created_at.localeCompare(other.created_at)).slice(-1);
  const exact = endpoints.filter(({ id, url }) => id === name || url === name);
  return exact.length > 0 ? exact : endpoints.filter(({ url }) => url.includes(name));
}
