import { computed, createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import type { JournalEntry, Timeline } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { toMs } from "../format.ts";
import { createRefresher, refreshOn } from "../refresh.ts";

export const MOST_ATTEMPTS = 10_000;
/** The number of attempts per read, which is more than fit into a view. */
const LATEST = 500;
/** The maximum number of older attempts per read. */
const PART = 1_000;
/** The number of time slices in which unread attempts are counted. Each is narrower than a bar in the scrubber. */
const SLICES = 400;

export type TimelineData = InstanceType<typeof TimelineData>;

/**
 * An endpoint's timeline: the latest attempts, with older ones loaded in parts on demand. When something changes, the
 * latest attempts are read again and merged into those already loaded.
 */
export const TimelineData = createModel((api: Api, live: Live, webhookId: string) => {
  const timeline = signal<Timeline | undefined>(undefined);
  const recent = signal(Number.NEGATIVE_INFINITY);
  const error = signal<Error | undefined>(undefined);
  let begins = true;
  let readsOlder = false;

  /** @param fresh whether to discard the attempts that are already loaded */
  async function readLatest(fresh: boolean): Promise<void> {
    let latest = await api.timeline(webhookId, { limit: LATEST, slices: fresh ? SLICES : undefined });
    const joined = () => (fresh ? undefined : join(timeline.peek()!, latest));
    // There are more new attempts than a single read returns.
    while (!fresh && !joined() && latest.earlier.attempts > 0 && latest.attempts.length < MOST_ATTEMPTS) {
      const before = latest.attempts[0]!.delivery_id;
      const { attempts, earlier } = await api.timeline(webhookId, { limit: PART, before, slices: SLICES });
      latest = { ...latest, attempts: attempts.concat(latest.attempts), earlier };
    }
    if (fresh) {
      const oldest = latest.earlier.attempts > 0 ? latest.attempts[0] : undefined;
      recent.value = oldest ? toMs(oldest.started_at) : Number.NEGATIVE_INFINITY;
    }
    timeline.value = { ...latest, ...joined() };
  }

  async function read(): Promise<void> {
    const fresh = begins || !timeline.peek()?.attempts.length;
    begins = false;
    try {
      await readLatest(fresh);
      error.value = undefined;
    } catch (reason) {
      begins ||= fresh;
      error.value = reason as Error;
      throw reason;
    }
  }

  const hasOlder = computed(() => {
    const held = timeline.value;
    return held !== undefined && held.earlier.attempts > 0 && held.attempts.length < MOST_ATTEMPTS;
  });

  async function readOlder(): Promise<void> {
    const before = timeline.peek()?.attempts[0]?.delivery_id;
    if (readsOlder || !hasOlder.peek() || before === undefined) return;
    readsOlder = true;
    try {
      const part = await api.timeline(webhookId, { limit: PART, before, slices: SLICES });
      readsOlder = false;
      const held = timeline.peek();
      // The world may have been replaced in the meantime.
      if (held?.attempts[0]?.delivery_id === before)
        timeline.value = { ...held, attempts: part.attempts.concat(held.attempts), earlier: part.earlier };
    } catch (reason) {
      readsOlder = false;
      if (timeline.peek()?.attempts[0]?.delivery_id === before) error.value = reason as Error;
    }
  }

  const refresher = createRefresher(read);
  const concerns = ({ type, data }: JournalEntry) =>
    data.webhook_id === webhookId || (data.id === webhookId && type.startsWith("webhook."));
  effect(() =>
    live.onReplaced(() => {
      begins = true;
    }),
  );
  effect(() => refreshOn(live, concerns, read, refresher));
  refresher.ask();

  return {
    timeline: timeline as ReadonlySignal<Timeline | undefined>,
    error: error as ReadonlySignal<Error | undefined>,
    /**
     * The oldest instant of the first read, in virtual milliseconds; minus infinity if that read returned everything.
     */
    recent: recent as ReadonlySignal<number>,
    hasOlder,
    readOlder,
    /** Whether there are older attempts, but the page has reached its limit. */
    full: computed(() => {
      const held = timeline.value;
      return held !== undefined && held.earlier.attempts > 0 && held.attempts.length >= MOST_ATTEMPTS;
    }),
    refresh: refresher.ask,
  };
});

/**
 * The timeline of an endpoint without any activity.
 * @param now the time in ISO 8601 format
 */
export const emptyTimeline = (now: string): Timeline => ({
  webhook_id: "",
  now,
  status: "enabled",
  counter: { consecutive_failures: 0, threshold: null, counts: "attempts" },
  retry_delays: [],
  attempts: [],
  earlier: { attempts: 0, since: null, slices: [] },
  planned: [],
  skipped: [],
  forecast: { attempts: [], disabled_at: null },
  changes: [],
});

type Part = Pick<Timeline, "attempts" | "earlier">;

/**
 * Appends newly read attempts to earlier ones. If an attempt is in both, the new version is used.
 * @returns undefined if there is a gap, because there were more new attempts than one read returns
 */
export function join(held: Part, latest: Part): Part | undefined {
  const from = held.attempts.findLastIndex(({ delivery_id: id }) => id === latest.attempts[0]?.delivery_id);
  if (from < 0) return undefined;
  const all = held.attempts.slice(0, from).concat(latest.attempts);
  const excess = Math.max(0, all.length - MOST_ATTEMPTS);
  const { earlier } = held;
  return {
    attempts: all.slice(excess),
    earlier: { ...earlier, attempts: earlier.attempts + excess, since: earlier.since ?? all[0]!.started_at },
  };
}
