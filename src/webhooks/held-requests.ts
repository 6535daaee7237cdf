import type { Store } from "../world/store.ts";

/** A waiting request, and the function that sends it. */
interface HeldRequest {
  id: string;
  go: () => unknown;
}

export type HeldRequests = ReturnType<typeof createHeldRequests>;

/**
 * Holds requests back so that they arrive together with their endpoint's next one. The responses to them are ignored.
 */
export function createHeldRequests(store: Store) {
  const requests = store.untilRestore(() => new Map<string, HeldRequest[]>());
  /** Endpoints whose requests are sent after the commit, because nothing may be sent within a transaction. */
  const released = store.memo(() => new Set<string>());
  store.onCommitted(() => {
    for (const webhookId of released.get()) sendAll(webhookId);
    released.get().clear();
  });

  function sendAll(webhookId: string): void {
    const held = requests().get(webhookId) ?? [];
    requests().delete(webhookId);
    for (const { go } of held) go();
  }

  return {
    add: (webhookId: string, request: HeldRequest): void =>
      void requests().set(webhookId, [...(requests().get(webhookId) ?? []), request]),

    sendAll,

    /** Sends an endpoint's held requests after the commit, if this delivery's request is among them. */
    release(webhookId: string, id: string): void {
      if (
        requests()
          .get(webhookId)
          ?.some((one) => one.id === id)
      )
        released.get().add(webhookId);
    },
  };
}
