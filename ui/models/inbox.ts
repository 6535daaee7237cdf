import { createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../api.ts";
import type { Behaviour, InboxMessage } from "../api-types.ts";
import type { Live } from "../live.ts";
import { refreshOn } from "./refresh.ts";

/** As many as an inbox itself keeps. */
const KEPT = 1_000;

export type InboxModel = InstanceType<typeof InboxModel>;

/** What a built-in subscriber got, newest last, and how it answers. */
export const InboxModel = createModel((api: Api, live: Live, name: string) => {
  const messages = signal<InboxMessage[] | undefined>(undefined);
  const behaviour = signal<Behaviour>({});
  const error = signal<Error | undefined>(undefined);

  async function read(): Promise<void> {
    try {
      const earlier = messages.peek() ?? [];
      const fresh = await api.inbox(name, earlier.at(-1)?.seq ?? 0);
      messages.value = earlier.concat(fresh).slice(-KEPT);
      behaviour.value = await api.behaviour(name);
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
  }

  effect(() => refreshOn(live, ({ type, data }) => type.startsWith("inbox.") && data.inbox === name, read));
  effect(() => live.onReplaced(() => (messages.value = [])));
  void read();

  return {
    messages: messages as ReadonlySignal<InboxMessage[] | undefined>,
    behaviour: behaviour as ReadonlySignal<Behaviour>,
    error: error as ReadonlySignal<Error | undefined>,
    read,
  };
});

/** How an inbox answers, in words. */
export function behaviourWords({ status, sequence, delay }: Behaviour): string {
  const parts = [`answers ${status ?? 200}`];
  if (sequence && sequence.length > 0) parts.unshift(`answers ${sequence.join(", ")} first, then`);
  if (delay) parts.push(`after ${delay} ms of real time`);
  return parts.join(" ").replace("then answers", "then");
}
