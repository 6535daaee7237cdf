import { computed, createModel, effect, signal } from "@preact/signals";
import type { Api } from "../api.ts";
import type { AuditEvent, Call, JournalEntry } from "../api-types.ts";
import type { Live } from "../live.ts";
import { bind } from "./binding.ts";
import { hasWords, toMs } from "./format.ts";
import { type JournalModel, KEPT_ENTRIES } from "./journal.ts";
import { createRefresher, refreshOn } from "./refresh.ts";
import { href, type Route, type Router } from "./router.ts";

/** The log's filters, by their names in the URL. */
export const KINDS = [
  ["", "All"],
  ["journal", "Journal"],
  ["calls", "API calls"],
  ["mail", "Mail"],
  ["inboxes", "Inboxes"],
  ["audit", "Audit"],
] as const;

export type LogRow =
  | { kind: "entry"; id: number; at: number; wall: number; entry: JournalEntry }
  | { kind: "call"; id: number; at: number; wall: number; call: Call }
  | { kind: "audit"; id: string; at: number; wall: number; audit: AuditEvent };

/** Filters that show only a single type of journal entry. */
const ENTRIES: Record<string, string> = { mail: "mail.sent", inboxes: "inbox.received" };
const AUDITED = /^(payment_link|product|webhook|discount_code|widget|notification|api_key)\./;

/** The number of calls that the server stores, and the number of audit events to read. */
const MOST_CALLS = 500;
const MOST_AUDITED = 100;
const PAGE = 500;

/** Reduces each attempt to one entry: its result or, if it is still in progress, its start. */
export function oncePerAttempt(entries: readonly JournalEntry[]): JournalEntry[] {
  const isResult = ({ type }: JournalEntry) => type === "delivery.succeeded" || type === "delivery.failed";
  const ended = new Set(entries.filter(isResult).map(({ data }) => data.id));
  return entries.filter(({ type, data }) => type !== "delivery.started" || !ended.has(data.id));
}

const rowOfEntry = (entry: JournalEntry): LogRow => ({
  ...{ kind: "entry", id: entry.seq, entry },
  ...{ at: toMs(entry.at), wall: toMs(entry.wall) },
});
const rowOfCall = (call: Call): LogRow => ({
  ...{ kind: "call", id: call.id, call },
  ...{ at: toMs(call.at), wall: toMs(call.wall) },
});
const rowOfAudit = (audit: AuditEvent): LogRow => ({
  ...{ kind: "audit", id: audit.id, audit },
  ...{ at: toMs(audit.created_at), wall: 0 },
});

/**
 * Merges two chronological lists into one with the latest first. At equal times `b` comes first, because a response
 * follows its effects.
 */
export function merged(a: readonly LogRow[], b: readonly LogRow[]): LogRow[] {
  return [...a, ...b].sort((one, other) => one.at - other.at || one.wall - other.wall).reverse();
}

function textOf(row: LogRow): string {
  if (row.kind === "entry") return `${row.entry.type} ${JSON.stringify(row.entry.data)}`;
  if (row.kind === "audit") return JSON.stringify(row.audit);
  const { method, path, status, area, hint = "" } = row.call;
  return `${method} ${path} ${status} ${area} ${hint}`;
}

export interface LogParts {
  api: Pick<Api, "calls" | "audit" | "events">;
  live: Live;
  journal: JournalModel;
  router: Router;
}

/** Everything that has happened, the latest first: journal, API calls and audit trail, filtered by the URL. */
export const Log = createModel(({ api, live, journal, router }: LogParts) => {
  const calls = signal<Call[]>([]);
  const audit = signal<{ data: AuditEvent[]; total: number }>({ data: [], total: 0 });
  const atBeginning = signal(false);
  const error = signal<Error | undefined>(undefined);
  const choice = computed(() => choiceIn(router.route.value));

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
  }
  const readCalls = () =>
    attempt(async () => {
      const earlier = calls.peek();
      const fresh = await api.calls({ after: earlier.at(-1)?.id ?? 0, limit: MOST_CALLS });
      if (fresh.length > 0) calls.value = earlier.concat(fresh).slice(-MOST_CALLS);
    });
  const readAudit = () =>
    attempt(async () => {
      if (choice.peek().kind === "audit") audit.value = await api.audit({ limit: MOST_AUDITED });
    });
  const older = () =>
    attempt(async () => {
      const page = await api.events({ order: "desc", limit: PAGE, before: journal.entries.peek()[0]?.seq });
      atBeginning.value = page.length < PAGE;
      journal.prepend(page.reverse());
    });

  effect(() => {
    const refresher = createRefresher(readCalls);
    const stops = [live.onCalls(refresher.ask), live.onReturned(refresher.ask), refresher.close];
    return () => stops.forEach((stop) => void stop());
  });
  effect(() => refreshOn(live, ({ type }) => AUDITED.test(type), readAudit));
  effect(() =>
    live.onReplaced(() => {
      calls.value = [];
      atBeginning.value = false;
      void Promise.all([readCalls(), older()]);
    }),
  );
  effect(() => {
    if (choice.value.kind === "audit") void readAudit();
  });
  void readCalls();
  if (journal.entries.peek().length < PAGE) void older();

  const rows = computed((): LogRow[] => {
    const { kind, search } = choice.value;
    const type = ENTRIES[kind];
    const entries = () =>
      oncePerAttempt(journal.entries.value)
        .filter((entry) => !type || entry.type === type)
        .map(rowOfEntry);
    const all =
      kind === "audit"
        ? audit.value.data.map(rowOfAudit)
        : merged(
            kind === "calls" ? [] : entries(),
            ["", "calls"].includes(kind) ? calls.value.map(rowOfCall) : [],
          );
    return search === "" ? all : all.filter((row) => hasWords(textOf(row), search));
  });

  const field = (name: keyof Choice) =>
    bind<string>(choice.value[name], (text) =>
      router.replace(href(["log"], { ...choice.peek(), [name]: text })),
    );

  return {
    rows,
    choice,
    field,
    /** The number of audit events that the log does not list. */
    unlisted: computed(() =>
      choice.value.kind === "audit" ? audit.value.total - audit.value.data.length : 0,
    ),
    /** Whether there are older entries that still fit into memory. */
    hasOlder: computed(
      () =>
        !["calls", "audit"].includes(choice.value.kind) &&
        !atBeginning.value &&
        journal.entries.value.length < KEPT_ENTRIES,
    ),
    error,
    older,
    read: () => void Promise.all([readCalls(), readAudit(), older()]),
  };
});

interface Choice {
  kind: string;
  search: string;
}

const choiceIn = ({ query }: Route): Choice => ({
  kind: KINDS.find(([name]) => name === query.get("kind"))?.[0] ?? "",
  search: query.get("search") ?? "",
});
