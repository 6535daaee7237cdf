import { type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import type { PaymentStory } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { ofTypes, refreshOn } from "../refresh.ts";

/** What became of a payment, told as it goes on. */
export function createStory(api: Api, live: Live, id: string) {
  const story = signal<PaymentStory | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  async function read(): Promise<void> {
    try {
      story.value = await api.story(id);
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
  }
  const stop = refreshOn(
    live,
    ofTypes("payment.*", "checkout.*", "delivery.*", "retry.*", "webhook.*"),
    read,
  );
  void read();
  return {
    story: story as ReadonlySignal<PaymentStory | undefined>,
    error: error as ReadonlySignal<Error | undefined>,
    read,
    close: stop,
  };
}
