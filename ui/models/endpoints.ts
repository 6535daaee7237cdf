import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../api.ts";
import type { JournalEntry, Webhook } from "../api-types.ts";
import type { Live } from "../live.ts";
import { ofTypes, refreshOn } from "./refresh.ts";

export type Endpoints = ReturnType<typeof createEndpoints>;

/** Every webhook endpoint of the world, with its counter, as it is now. */
export function createEndpoints(api: Api, live: Live) {
  const list = signal<Webhook[] | undefined>(undefined);
  const read = async () => {
    list.value = await api.webhooks();
  };
  const stop = refreshOn(live, ofTypes("webhook.*", "delivery.succeeded", "delivery.failed"), read);
  return {
    list: list as ReadonlySignal<Webhook[] | undefined>,
    troubled: computed(() => (list.value ?? []).filter(({ status }) => status === "disabled").length),
    find: (id: string): Webhook | undefined => list.value?.find((webhook) => webhook.id === id),
    read,
    close: stop,
  };
}

/** The id of the endpoint that a journal entry is about; undefined for any other entry. */
export function endpointIdOf({ type, data }: JournalEntry): string | undefined {
  const id = type.startsWith("webhook.") ? data.id : data.webhook_id;
  return typeof id === "string" ? id : undefined;
}

/** The built-in inbox that an address leads to; undefined for any other subscriber. */
export function inboxOf(url: string): string | undefined {
  const match = /\/_sandbox\/inbox\/([A-Za-z0-9._-]+)$/.exec(url);
  return match?.[1];
}
