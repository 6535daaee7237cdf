import { computed, createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import type { JournalEntry, Timeline, TimelineAttempt } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { createRefresher } from "../refresh.ts";

/** How many attempts the page holds, and reads at first. */
export const KEPT_ATTEMPTS = 10_000;
/** How many are read before the others: more than fit into a view. */
const FIRST_ATTEMPTS = 500;
/** Read beyond the announced ones, because an attempt is written twice: when it begins and when it ends. */
const MARGIN = 30;

export type TimelineData = InstanceType<typeof TimelineData>;

/** The timeline of an endpoint, kept up to date: after the first reading, only what is new is read. */
export const TimelineData = createModel(
  (api: Api, live: Live, webhookId: string, firstRead = KEPT_ATTEMPTS) => {
    const timeline = signal<Timeline | undefined>(undefined);
    const error = signal<Error | undefined>(undefined);
    let announced = 0;
    let whole = true;

    async function read(): Promise<void> {
      const limit = whole ? firstRead : Math.min(KEPT_ATTEMPTS, announced + MARGIN);
      const everything = whole;
      whole = false;
      announced = 0;
      try {
        // What is seen first comes first; of most endpoints, it is everything.
        if (everything && limit > FIRST_ATTEMPTS) {
          const latest = await api.timeline(webhookId, FIRST_ATTEMPTS);
          timeline.value = latest;
          error.value = undefined;
          if (latest.attempts.length < FIRST_ATTEMPTS) return;
        }
        const answer = await api.timeline(webhookId, limit);
        const before = everything ? undefined : timeline.peek();
        timeline.value = before ? { ...answer, attempts: join(before.attempts, answer.attempts) } : answer;
        error.value = undefined;
      } catch (reason) {
        whole ||= everything;
        error.value = reason as Error;
        throw reason;
      }
    }

    const refresher = createRefresher(read);
    const concerns = ({ type, data }: JournalEntry) =>
      data.webhook_id === webhookId || (data.id === webhookId && type.startsWith("webhook."));
    effect(() =>
      live.onEntries((entries) => {
        const relevant = entries.filter(concerns);
        if (relevant.length === 0) return;
        announced += relevant.filter(({ type }) => type === "delivery.started").length;
        refresher.ask();
      }),
    );
    effect(() =>
      live.onReplaced(() => {
        whole = true;
        refresher.ask();
      }),
    );
    effect(() => live.onReturned(refresher.ask));
    effect(() => refresher.close);
    refresher.ask();

    return {
      timeline: timeline as ReadonlySignal<Timeline | undefined>,
      error: error as ReadonlySignal<Error | undefined>,
      /** Whether there may be older attempts than the page holds. */
      full: computed(() => (timeline.value?.attempts.length ?? 0) >= KEPT_ATTEMPTS),
      refresh: refresher.ask,
    };
  },
);

/** Merges newly read attempts into earlier ones; an attempt in both is taken as newly read. */
export function join(earlier: TimelineAttempt[], latest: TimelineAttempt[]): TimelineAttempt[] {
  const first = latest[0];
  if (!first) return earlier;
  const fresh = new Set(latest.map(({ delivery_id: id }) => id));
  const older = earlier.filter(({ delivery_id: id }) => !fresh.has(id));
  return older.concat(latest).slice(-KEPT_ATTEMPTS);
}
