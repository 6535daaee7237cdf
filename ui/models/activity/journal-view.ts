import { computed, createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import type { JournalEntry } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { hasWords } from "../filters.ts";
import { type JournalModel, KEPT_ENTRIES } from "../journal.ts";

/** Kinds of entries, as the filter offers them. */
export const KINDS: [name: string, prefixes: string[]][] = [
  ["Deliveries", ["delivery.", "retry."]],
  ["Payments", ["payment.", "checkout."]],
  ["Endpoints", ["webhook.", "mail."]],
  ["Inboxes", ["inbox."]],
  [
    "Settings",
    [
      ...["payment_link.", "product.", "discount_code.", "widget.", "notification.updated", "api_key."],
      ...["customer.", "organization."],
    ],
  ],
  [
    "Game",
    [
      ...["player.", "session.", "play_session.", "state.", "score.", "activity.", "notification.sent"],
      ...["channel.", "message.", "game."],
    ],
  ],
  ["Rules", ["rule."]],
  ["Chain data", ["upstream.", "cache.", "provider.", "holdings."]],
  ["Sandbox", ["fault.", "world.", "clock."]],
];
const PAGE = 500;

export type JournalView = InstanceType<typeof JournalView>;

/** The journal as it is read: newest first, filtered, held when wanted. */
export const JournalView = createModel((api: Api, live: Live, journal: JournalModel) => {
  const kind = signal("");
  const search = signal("");
  const atBeginning = signal(false);
  const loading = signal(false);
  const error = signal<Error | undefined>(undefined);
  const stream = createPausable(journal.entries, (entry, last) => entry.seq > last.seq);
  const texts = new WeakMap<JournalEntry, string>();

  function textOf(entry: JournalEntry): string {
    let text = texts.get(entry);
    if (text === undefined) {
      text = `${entry.type} ${JSON.stringify(entry.data)}`.toLowerCase();
      texts.set(entry, text);
    }
    return text;
  }

  async function older(): Promise<void> {
    if (loading.peek()) return;
    loading.value = true;
    try {
      const before = journal.entries.peek()[0]?.seq;
      const page = await api.events({ order: "desc", limit: PAGE, before });
      atBeginning.value = page.length < PAGE;
      journal.prepend(page.reverse());
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
    loading.value = false;
  }

  effect(() =>
    live.onReplaced(() => {
      atBeginning.value = false;
      void older();
    }),
  );
  if (journal.entries.peek().length < PAGE) void older();

  const shown = computed(() => {
    const prefixes = KINDS.find(([name]) => name === kind.value)?.[1];
    const found = stream.shown.value.filter(
      (entry) =>
        (!prefixes || prefixes.some((prefix) => entry.type.startsWith(prefix))) &&
        (search.value === "" || hasWords(textOf(entry), search.value)),
    );
    return found.reverse();
  });

  return {
    ...stream,
    kind,
    search,
    shown,
    /** Whether there are older entries, and room for them. */
    hasOlder: computed(() => !atBeginning.value && journal.entries.value.length < KEPT_ENTRIES),
    error,
    older,
  };
});

/** A stream that can be held to be read: what comes meanwhile is counted, and shown afterwards. */
export function createPausable<Item>(
  items: ReadonlySignal<Item[]>,
  isAfter: (item: Item, last: Item) => boolean,
) {
  const held = signal<Item[] | undefined>(undefined);
  return {
    paused: computed(() => held.value !== undefined),
    shown: computed(() => held.value ?? items.value),
    /** How many came since it was held. */
    missed: computed(() => {
      const last = held.value?.at(-1);
      if (!held.value) return 0;
      return last ? items.value.filter((item) => isAfter(item, last)).length : items.value.length;
    }),
    toggle(): void {
      held.value = held.value ? undefined : items.value;
    },
  };
}
