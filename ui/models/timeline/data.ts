import { computed, createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import type { JournalEntry, Timeline, TimelineAttempt } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { toMs } from "../format.ts";
import { createRefresher } from "../refresh.ts";

/** How many attempts the page holds at most. */
export const MOST_ATTEMPTS = 10_000;
/** How many are read at first: more than fit into a view. */
const FIRST_ATTEMPTS = 500;
/** How many are read at a time at most. */
const PART = 1_000;
/** In how many slices of time the attempts are counted that are not read. A bar of the scrubber is wider than one of them. */
const SLICES = 400;
/** Read beyond the announced ones, because an attempt is written twice: when it begins and when it ends. */
const MARGIN = 30;

export type TimelineData = InstanceType<typeof TimelineData>;

/**
 * The timeline of an endpoint: the latest attempts, and older ones part by part as they are asked for. It stays up to date;
 * after the first reading, only what is new is read.
 */
export const TimelineData = createModel(
  (api: Api, live: Live, webhookId: string, { first = FIRST_ATTEMPTS, slices = SLICES } = {}) => {
    const timeline = signal<Timeline | undefined>(undefined);
    const recent = signal(Number.NEGATIVE_INFINITY);
    const error = signal<Error | undefined>(undefined);
    let announced = 0;
    let begins = true;
    let readsOlder = false;

    async function begin(): Promise<void> {
      const read = await api.timeline(webhookId, { limit: first, slices });
      const [oldest] = read.attempts;
      recent.value = oldest && read.earlier.attempts > 0 ? toMs(oldest.started_at) : Number.NEGATIVE_INFINITY;
      timeline.value = read;
    }

    async function readOn(limit: number): Promise<void> {
      const read = await api.timeline(webhookId, { limit });
      let { attempts, earlier } = read;
      let held = timeline.peek()!;
      while (earlier.attempts > 0 && attempts.length < MOST_ATTEMPTS && !meet(held.attempts, attempts)) {
        const older = await api.timeline(webhookId, { limit: PART, before: attempts[0]!.delivery_id });
        attempts = older.attempts.concat(attempts);
        earlier = older.earlier;
        held = timeline.peek()!;
      }
      timeline.value = { ...read, ...join(held, { attempts, earlier }) };
    }

    async function read(): Promise<void> {
      const fresh = begins || timeline.peek() === undefined;
      const held = timeline.peek();
      // What is planned or skipped is read again whole.
      const ahead = (held?.planned.length ?? 0) + (held?.skipped.length ?? 0);
      const limit = Math.min(PART, announced + ahead + MARGIN);
      begins = false;
      announced = 0;
      try {
        await (fresh ? begin() : readOn(limit));
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

    /** Reads the next older part, if there is one. */
    async function readOlder(): Promise<void> {
      const before = timeline.peek()?.attempts[0]?.delivery_id;
      if (readsOlder || !hasOlder.peek() || before === undefined) return;
      readsOlder = true;
      try {
        const part = await api.timeline(webhookId, { limit: PART, before, slices });
        readsOlder = false;
        const held = timeline.peek();
        // The world may have been replaced meanwhile.
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
      live.onEntries((entries) => {
        const relevant = entries.filter(concerns);
        if (relevant.length === 0) return;
        announced += relevant.filter(({ type }) => type === "delivery.started").length;
        refresher.ask();
      }),
    );
    effect(() =>
      live.onReplaced(() => {
        begins = true;
        refresher.ask();
      }),
    );
    effect(() => live.onReturned(refresher.ask));
    effect(() => refresher.close);
    refresher.ask();

    return {
      timeline: timeline as ReadonlySignal<Timeline | undefined>,
      error: error as ReadonlySignal<Error | undefined>,
      /** How far back the first reading went, virtual milliseconds; minus infinity when it had everything. */
      recent: recent as ReadonlySignal<number>,
      /** Whether older attempts can be read. */
      hasOlder,
      readOlder,
      /** Whether there are older attempts than the page holds at most. */
      full: computed(() => {
        const held = timeline.value;
        return held !== undefined && held.earlier.attempts > 0 && held.attempts.length >= MOST_ATTEMPTS;
      }),
      refresh: refresher.ask,
    };
  },
);

type Part = Pick<Timeline, "attempts" | "earlier">;

const indexOf = (attempts: readonly TimelineAttempt[], of: TimelineAttempt | undefined): number =>
  attempts.findLastIndex(({ delivery_id: id }) => id === of?.delivery_id);

/** Whether nothing is missing between earlier attempts and those that were read now. */
const meet = (held: readonly TimelineAttempt[], latest: readonly TimelineAttempt[]): boolean =>
  held.length === 0 || indexOf(latest, held.at(-1)) >= 0;

/** Puts newly read attempts after earlier ones; those in both are taken as newly read. */
export function join(held: Part, latest: Part): Part {
  const from = indexOf(held.attempts, latest.attempts[0]);
  if (from < 0) return latest;
  const all = held.attempts.slice(0, from).concat(latest.attempts);
  const excess = Math.max(0, all.length - MOST_ATTEMPTS);
  const { earlier } = held;
  return {
    attempts: all.slice(excess),
    earlier: { ...earlier, attempts: earlier.attempts + excess, since: earlier.since ?? all[0]!.started_at },
  };
}
