import { effect, type ReadonlySignal } from "@preact/signals";
import type { JournalEntry, Webhook, WebhookInput } from "../api-types.ts";
import { type Keep, readStored, store } from "./prefs.ts";

const KEY = "sandglass-endpoints";
/** The maximum number of endpoints to remember. The oldest ones are dropped. */
const MOST = 20;

/**
 * Remembers the user's own endpoints, so a lost one can be registered again. Secrets are not stored in the browser;
 * they stay in memory until the page is closed.
 */
export function createLostEndpoints(keep: Keep, own: ReadonlySignal<readonly Webhook[]>) {
  const read = () => readStored<WebhookInput>(keep, KEY);
  const secrets = new Map<string, Pick<WebhookInput, "secret" | "headers">>();
  const close = effect(() => {
    for (const { id, secret, headers } of own.value) secrets.set(id, { secret, headers });
    const seen = own.value.slice(0, MOST).map(({ id, url, events, description, sender }) => {
      return [id, { url, events, sender, ...(description === null ? {} : { description }) }] as const;
    });
    if (seen.length === 0) return;
    const before = Object.entries(read()).filter(([id]) => !seen.some(([other]) => other === id));
    store(keep, KEY, Object.fromEntries([...seen, ...before].slice(0, MOST)));
  });
  return {
    /** The registration of an endpoint, which lacks the secret after a reload; undefined for an unknown endpoint. */
    find(id: string): WebhookInput | undefined {
      const known = read()[id];
      return known && { ...known, ...secrets.get(id) };
    },
    close,
  };
}

/**
 * Explains why an endpoint does not exist.
 * @param since the journal entries about changes that remove endpoints: `world.*` and `webhook.deleted`
 * @param seen whether this browser has seen the endpoint
 */
export function whyLost(id: string, since: readonly JournalEntry[], seen: boolean): string {
  if (since.some(({ type, data }) => type === "webhook.deleted" && data.id === id))
    return "This endpoint was deleted.";
  if (!seen) return `There is no endpoint ${id} in this world.`;
  return since.some(({ type }) => type.startsWith("world."))
    ? "The world was reset or restored, and this endpoint is not in it."
    : "The sandbox was restarted without a data folder, so this endpoint is gone. Start it with --data-dir to keep its data.";
}
