import { type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import type { Delivery, Webhook } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { refreshOn } from "../refresh.ts";

export type AttemptModel = ReturnType<typeof createAttempt>;

/** One attempt with all that was sent and all that came back, up to date while it is under way. */
export function createAttempt(api: Api, live: Live, webhook: Webhook, deliveryId: string) {
  const delivery = signal<Delivery | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  async function read(): Promise<void> {
    try {
      delivery.value = await api.delivery(webhook, deliveryId);
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
  }
  const stop = refreshOn(live, ({ data }) => data.id === deliveryId, read);
  void read();
  return {
    delivery: delivery as ReadonlySignal<Delivery | undefined>,
    error: error as ReadonlySignal<Error | undefined>,
    read,
    close: stop,
  };
}

/** A body as it is best read: JSON with its lines, anything else as it came. */
export function readable(body: string | null): string {
  if (body === null || body === "") return "";
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
