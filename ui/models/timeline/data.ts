import { computed, createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import type { JournalEntry, Timeline, TimelineAttempt } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { createRefresher } from "../refresh.ts";

/** How many attempts are kept, and read at first. */
export const KEPT_ATTEMPTS = 10_000;
/** Read beyond those that were heard of, as an attempt may be written twice: when it begins and when it ends. */
const MARGIN = 30;

export type TimelineData = InstanceType<typeof TimelineData>;

/** The timeline of an endpoint, kept up to date: after the first reading, only what is new is read. */
export const TimelineData = createModel(
  (api: Api, live: Live, webhookId: string, firstRead = KEPT_ATTEMPTS) => {
    const timeline = signal<Timeline | undefined>(undefined);
    const error = signal<Error | undefined>(undefined);
    let heard = 0;
    let whole = true;

    async function read(): Promise<void> {
      const limit = whole ? firstRead : Math.min(KEPT_ATTEMPTS, heard + MARGIN);
      const anew = whole;
      whole = false;
      heard = 0;
      try {
        const answer = await api.timeline(webhookId, limit);
        const before = anew ? undefined : timeline.peek();
        timeline.value = before ? { ...answer, attempts: join(before.attempts, answer.attempts) } : answer;
        error.value = undefined;
      } catch (reason) {
        whole ||= anew;
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
        heard += relevant.filter(({ type }) => type === "delivery.started").length;
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
      /** Whether there may be attempts older than those that are kept. */
      full: computed(() => (timeline.value?.attempts.length ?? 0) >= KEPT_ATTEMPTS),
      refresh: refresher.ask,
    };
  },
);

/** Attempts that are known, with the latest as they are now; each once. */
export function join(known: TimelineAttempt[], latest: TimelineAttempt[]): TimelineAttempt[] {
  const first = latest[0];
  if (!first) return known;
  const fresh = new Set(latest.map(({ delivery_id: id }) => id));
  const older = known.filter(({ delivery_id: id }) => !fresh.has(id));
  return older.concat(latest).slice(-KEPT_ATTEMPTS);
}
