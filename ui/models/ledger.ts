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
/** A preview is requested after the pointer or focus has rested this long. */
const REST_MS = 140;

export interface Ledger {
  from: number;
  to: number;
  wallMs: number;
  reached: boolean;
  cancelled: boolean;
  summary: string;
  /** The first entries; `total` counts all of them. */
  entries: JournalEntry[];
  total: number;
  /** Whether the animation is still running, so the entries end at the line. */
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

/** A server operation that advances the clock and that the server can undo. */
export interface Played {
  /** Its name in the Undo button. */
  label: string;
  send: () => Promise<AdvanceResult>;
}

/** Clock advances: the preview, the progress and the summary. */
export function createLedger({ api, toasts, stage, undo }: LedgerParts) {
  const preview = signal<Preview | undefined>(undefined);
  const busy = signal<Advance | undefined>(undefined);
  const latest = signal<AdvanceResult | undefined>(undefined);
  /** The entries caused by the advance being animated. */
  const current = signal<JournalEntry[] | undefined>(undefined);
  const open = signal(false);
  let asked = 0;
  const ending = signal(false);
  let waiting = 0;
  /** Incremented when an advance is stopped; steps queued before that are dropped. */
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
   * Queues an advance, so that quick clicks run one after the other and none is lost.
   * @param played an operation to send instead of an advance; it moves the clock as far as `request` says
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

  /** @returns resolves once it was sent; `shown` resolves once the animation has ended */
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
   * Shows an advance's summary. If the advance was requested during the previous one's animation, or caused nothing
   * right after it, the two share one summary.
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

  /** Stops the advance in progress. Its response reports what happened until then. */
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
    /** The summary of the latest advance, including any earlier advances it was merged with. */
    last: last as ReadonlySignal<Ledger | undefined>,
    open,
    /** The world was replaced, so the summary no longer applies. */
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

/** Entry types that come first in a summary. */
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

/** `Advanced 1 h in 84 ms: 3 attempts failed.` */
export function ledgerLine(ledger: Ledger): string {
  const { from, to, wallMs, summary, total, reached, cancelled, playing } = ledger;
  if (playing) return `Advancing ${roughly(to - from)}${total > 0 ? `: ${summary}` : "…"}`;
  const missed = cancelled ? "; it was stopped there" : reached ? "" : "; the awaited entry did not happen";
  return `Advanced ${roughly(to - from)} in ${roughly(wallMs)}: ${summary}${missed}.`;
}

/** `and 812 more`. */
export function moreLine({ entries, total }: Ledger): string {
  return total > entries.length ? `and ${count(total - entries.length, "more", "more")}` : "";
}
