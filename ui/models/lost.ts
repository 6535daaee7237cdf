import { effect, type ReadonlySignal } from "@preact/signals";
import type { JournalEntry, Webhook, WebhookInput } from "../api-types.ts";
import { type Keep, readStored, store } from "./prefs.ts";

const KEY = "sandglass-endpoints";
/** So many are remembered, the newest. */
const MOST = 20;

/**
 * Remembers a person's own endpoints, so that one that is gone can be registered again: in the browser without what is
 * secret, which is remembered only until the page is left.
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
    /** What an endpoint was registered with, without its secret if the page was left since; undefined for one that was never seen. */
    find(id: string): WebhookInput | undefined {
      const known = read()[id];
      return known && { ...known, ...secrets.get(id) };
    },
    close,
  };
}

/**
 * Why an endpoint is not there.
 * @param since what ended endpoints since the world began: its journal's `world.*` and `webhook.deleted`
 * @param seen whether this browser has seen it
 */
export function whyLost(id: string, since: readonly JournalEntry[], seen: boolean): string {
  if (since.some(({ type, data }) => type === "webhook.deleted" && data.id === id))
    return "This endpoint was deleted.";
  if (!seen) return `There is no endpoint ${id} in this world.`;
  return since.some(({ type }) => type.startsWith("world."))
    ? "The world was reset or restored, and this endpoint is not in it."
    : "The sandbox was restarted without a data folder, so this endpoint is gone. Start it with --data-dir to keep what it has.";
}
