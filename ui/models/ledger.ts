import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { tally, tallyCounts, worthShowing } from "../../src/timeline/entries.ts";
import type { Api } from "../api.ts";
import type { Advance, AdvancePreview, AdvanceResult, JournalEntry } from "../api-types.ts";
import { type AdvanceUndo, advanceLabel } from "./advances.ts";
import { count, roughly, toMs } from "./format.ts";
import type { Stage } from "./stage.ts";
import type { Toasts } from "./toasts.ts";

/** The maximum number of entries in a summary. */
export const LEDGER_SHOWN = 200;
/** How long the pointer or focus must rest before a preview is requested, in milliseconds. */
const REST_MS = 140;

export interface Ledger {
  from: number;
  to: number;
  wallMs: number;
  reached: boolean;
  cancelled: boolean;
  summary: string;
  /** The first entries; `total` is the number of all entries. */
  entries: JournalEntry[];
  total: number;
  /** Whether the animation is still running. If so, the entries end at the line. */
  playing: boolean;
}

export interface Preview {
  request: Advance;
  answer?: AdvancePreview;
  error?: string;
}

export type LedgerModel = ReturnType<typeof createLedger>;

export interface LedgerParts {
  api: Pick<Api, "preview" | "advance" | "cancelAdvance">;
  toasts: Toasts;
  stage: Pick<Stage, "expect" | "arrive" | "skip" | "until">;
  undo: Pick<AdvanceUndo, "save" | "kept" | "ended">;
}

/** A server operation that advances the clock and that the server itself can undo. */
export interface Played {
  /** The operation's name in the Undo button. */
  label: string;
  send: () => Promise<AdvanceResult>;
}

/** The page's advances of the clock: the preview, the progress and the summary. */
export function createLedger({ api, toasts, stage, undo }: LedgerParts) {
  const preview = signal<Preview | undefined>(undefined);
  const busy = signal<Advance | undefined>(undefined);
  const latest = signal<AdvanceResult | undefined>(undefined);
  /** The entries caused by the advance that is being animated. */
  const current = signal<JournalEntry[] | undefined>(undefined);
  const open = signal(false);
  let asked = 0;
  const ending = signal(false);
  let waiting = 0;
  /** Incremented when an advance is stopped. Steps that were queued before that are dropped. */
  let round = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const last = computed<Ledger | undefined>(() => {
    const summary = latest.value && ledgerOf(latest.value);
    const limit = stage.until.value;
    const all = current.value;
    if (!summary || !all || limit === undefined) return summary;
    const reached = all.filter(({ at }) => toMs(at) <= limit);
    return { ...summary, ...contentsOf(reached), playing: true };
  });

  function forget(): void {
    asked += 1;
    preview.value = undefined;
  }

  /**
   * Queues an advance, so that quick clicks run one after another and none is lost.
   * @param played an operation to send instead of an advance; it must move the clock as far as `request` specifies
   */
  function advance(request: Advance, played?: Played): Promise<void> {
    forget();
    const followed = waiting > 0 || current.peek() !== undefined;
    stage.skip();
    waiting += 1;
    const begun = round;
    const taken = turn.then(() => (begun === round ? take(request, followed, played) : drop()));
    turn = taken.catch(() => undefined);
    return taken.then((shown) => shown?.shown);
  }

  /** @returns a promise that resolves once the advance was sent; `shown` resolves once the animation has ended */
  async function take(
    request: Advance,
    followed: boolean,
    played?: Played,
  ): Promise<{ shown: Promise<void> }> {
    busy.value = request;
    stage.expect();
    if (!played) await undo.save(advanceLabel(request));
    const result = await toasts.attempt(played?.send ?? (() => api.advance(request)));
    if (result && played) undo.kept(played.label);
    drop();
    if (!result) return { shown: stage.arrive() };
    undo.ended(toMs(result.to));
    const shown = stage.arrive(toMs(result.to), result.ledger.at(-1)?.seq, () => show(result, followed));
    return {
      shown: shown.then(() => (current.value = undefined)),
    };
  }

  /**
   * Shows the summary of an advance. It is merged with the previous summary if the advance was requested during the
   * previous animation, or if it followed directly and caused nothing.
   */
  function show(result: AdvanceResult, followed: boolean): void {
    const before = latest.peek();
    const joins = before?.to === result.from && (followed || result.ledger.length === 0);
    latest.value = joins
      ? {
          ...result,
          from: before.from,
          wall_ms: before.wall_ms + result.wall_ms,
          ledger: before.ledger.concat(result.ledger),
        }
      : result;
    current.value = latest.peek()!.ledger;
  }

  function drop(): undefined {
    waiting -= 1;
    if (waiting === 0) busy.value = undefined;
  }

  /** Stops the advance in progress. Its response reports what has happened so far. */
  async function cancel(): Promise<void> {
    if (ending.peek()) return;
    round += 1;
    ending.value = true;
    await toasts.attempt(api.cancelAdvance);
    ending.value = false;
  }

  return {
    preview: preview as ReadonlySignal<Preview | undefined>,
    busy: busy as ReadonlySignal<Advance | undefined>,
    ending: ending as ReadonlySignal<boolean>,
    cancel,
    /** The summary of the latest advance, including any earlier advances that it was merged with. */
    last: last as ReadonlySignal<Ledger | undefined>,
    open,
    /** Called when the world was replaced, because the summary no longer applies. */
    clear(): void {
      latest.value = undefined;
      open.value = false;
    },
    advance,
    /** Previews an advance after a short delay. */
    consider(request: Advance): void {
      forget();
      const question = asked;
      preview.value = { request };
      setTimeout(async () => {
        if (question !== asked) return;
        const found = await api.preview(request).then(
          (answer) => ({ answer }),
          ({ message }: Error) => ({ error: message }),
        );
        if (question === asked) preview.value = { request, ...found };
      }, REST_MS);
    },
    forget,
  };
}

function ledgerOf({ from, to, wall_ms: wallMs, reached, cancelled, ledger }: AdvanceResult): Ledger {
  return {
    from: toMs(from),
    to: toMs(to),
    wallMs,
    reached,
    cancelled,
    ...contentsOf(ledger),
    playing: false,
  };
}

/** Entry types that come first in a summary, because they matter most. */
const WORST = ["webhook.disabled", "delivery.failed"];

function summaryOf(ledger: readonly JournalEntry[]): string {
  const counts: Record<string, number> = {};
  for (const type of WORST) counts[type] = 0;
  for (const { type } of ledger) counts[type] = (counts[type] ?? 0) + 1;
  const parts = Object.entries(counts).flatMap(([type, times]) => tallyCounts({ [type]: times }));
  return parts.join(", ") || tally(ledger) || "nothing was due";
}

function contentsOf(ledger: readonly JournalEntry[]): Pick<Ledger, "summary" | "entries" | "total"> {
  const entries = worthShowing(ledger);
  return {
    summary: summaryOf(ledger),
    entries: entries.slice(0, LEDGER_SHOWN),
    total: entries.length,
  };
}

/** The summary in one line: `Advanced 1 h in 84 ms: 3 attempts failed.` */
export function ledgerLine(ledger: Ledger): string {
  const { from, to, wallMs, summary, total, reached, cancelled, playing } = ledger;
  if (playing) return `Advancing ${roughly(to - from)}${total > 0 ? `: ${summary}` : "…"}`;
  const missed = cancelled ? "; it was stopped there" : reached ? "" : "; the awaited entry did not happen";
  return `Advanced ${roughly(to - from)} in ${roughly(wallMs)}: ${summary}${missed}.`;
}

/** The number of entries that are not shown: `and 812 more`. */
export function moreLine({ entries, total }: Ledger): string {
  return total > entries.length ? `and ${count(total - entries.length, "more", "more")}` : "";
}
