import { computed, createModel, effect, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import type { Call } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import type { Machine } from "../clock.ts";
import { hasWords } from "../filters.ts";
import { createPausable } from "./journal-view.ts";

/** As many as the server keeps. */
const KEPT = 500;
const POLL_MS = 1_000;

export const CLASSES = ["2xx", "4xx", "5xx"] as const;

export type Calls = InstanceType<typeof Calls>;

/** The API calls that the sandbox received, newest first; read again each second while they are shown. */
export const Calls = createModel((api: Api, live: Live, machine: Machine, looking: () => boolean) => {
  const all = signal<Call[] | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  const search = signal("");
  const status = signal("");
  const stream = createPausable(
    computed(() => all.value ?? []),
    (call, last) => call.id > last.id,
  );
  let reading = false;

  async function read(): Promise<void> {
    if (reading || !looking()) return;
    reading = true;
    try {
      const earlier = all.peek() ?? [];
      const fresh = await api.calls({ after: earlier.at(-1)?.id ?? 0, limit: KEPT });
      if (fresh.length > 0 || all.peek() === undefined) all.value = earlier.concat(fresh).slice(-KEPT);
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
    reading = false;
  }

  effect(() => machine.every(POLL_MS, () => void read()));
  effect(() => live.onReplaced(() => (all.value = [])));
  void read();

  return {
    loaded: computed(() => all.value !== undefined),
    error,
    search,
    status,
    ...stream,
    shown: computed(() => {
      const found = stream.shown.value.filter((call) => {
        const text = `${call.method} ${call.path} ${call.status} ${call.area}`;
        const fits = status.value === "" || String(call.status)[0] === status.value[0];
        return fits && hasWords(text, search.value);
      });
      return found.reverse();
    }),
    read,
  };
});
