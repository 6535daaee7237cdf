import { type ReadonlySignal, signal } from "@preact/signals";
import { tally, worthShowing } from "../../src/story/entries.ts";
import type { Api } from "../api.ts";
import type { Advance, AdvancePreview, AdvanceResult, JournalEntry } from "../api-types.ts";
import type { CatchUp } from "./catch-up.ts";
import { count, roughly, toMs } from "./format.ts";
import type { Toasts } from "./toasts.ts";

/** How many entries of a ledger are shown, and kept. */
export const LEDGER_SHOWN = 200;
/** A preview is asked for once the pointer or the focus rests. */
const REST_MS = 140;

export interface Ledger {
  from: number;
  to: number;
  wallMs: number;
  reached: boolean;
  cancelled: boolean;
  summary: string;
  /** The beginning of what happened. */
  entries: JournalEntry[];
  total: number;
}

/** What an advance would find due. */
export interface Preview {
  request: Advance;
  answer: AdvancePreview | undefined;
  error: string | undefined;
}

export type LedgerModel = ReturnType<typeof createLedger>;

/**
 * Advances of the clock: the dry run before, the wait, and what it caused.
 * @param caughtUp waits until the page shows what an advance caused
 */
export function createLedger(api: Api, toasts: Toasts, caughtUp: CatchUp) {
  const preview = signal<Preview | undefined>(undefined);
  const busy = signal<Advance | undefined>(undefined);
  const last = signal<Ledger | undefined>(undefined);
  const open = signal(false);
  let asked = 0;
  const ending = signal(false);
  let waiting = 0;
  /** Rises when an advance is ended: steps that were asked for before are not taken. */
  let round = 0;
  let turn: Promise<AdvanceResult | undefined> = Promise.resolve(undefined);
  let latest: AdvanceResult | undefined;

  async function look(request: Advance, question: number): Promise<void> {
    try {
      const answer = await api.preview(request);
      if (question === asked) preview.value = { request, answer, error: undefined };
    } catch (error) {
      if (question === asked) preview.value = { request, answer: undefined, error: (error as Error).message };
    }
  }

  function forget(): void {
    asked += 1;
    preview.value = undefined;
  }

  /** Steps that are asked for quickly are taken one after the other; none is lost. */
  function advance(request: Advance): Promise<void> {
    forget();
    waiting += 1;
    const begun = round;
    turn = turn.then(() => (begun === round ? take(request) : drop()));
    return turn.then(show);
  }

  async function take(request: Advance): Promise<AdvanceResult | undefined> {
    busy.value = request;
    const result = await toasts.attempt(() => api.advance(request));
    drop();
    return result;
  }

  /** Together with what it caused, and only if no later advance has been answered meanwhile. */
  async function show(result: AdvanceResult | undefined): Promise<void> {
    if (!result) return;
    latest = result;
    await caughtUp(result.ledger.at(-1)?.seq);
    if (result !== latest) return;
    last.value = ledgerOf(result);
    open.value = true;
  }

  function drop(): undefined {
    waiting -= 1;
    if (waiting === 0) busy.value = undefined;
  }

  /** Ends the advance in progress; its answer comes with what happened up to there. */
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
    /** Whether the advance in progress is about to end. */
    ending: ending as ReadonlySignal<boolean>,
    cancel,
    last: last as ReadonlySignal<Ledger | undefined>,
    open,
    advance,
    /** Shows what an advance would do, after a moment's rest. */
    consider(request: Advance): void {
      asked += 1;
      const question = asked;
      preview.value = { request, answer: undefined, error: undefined };
      setTimeout(() => {
        if (question === asked) void look(request, question);
      }, REST_MS);
    },
    forget,
  };
}

function ledgerOf({ from, to, wall_ms: wallMs, reached, cancelled, ledger }: AdvanceResult): Ledger {
  const entries = worthShowing(ledger);
  return {
    from: toMs(from),
    to: toMs(to),
    wallMs,
    reached,
    cancelled,
    summary: tally(ledger) || "nothing was due",
    entries: entries.slice(0, LEDGER_SHOWN),
    total: entries.length,
  };
}

/** `Advanced 1 h in 84 ms: 3 attempts failed`. */
export function ledgerLine({ from, to, wallMs, summary, reached, cancelled }: Ledger): string {
  const missed = cancelled ? "; it was ended there" : reached ? "" : "; what was waited for did not come";
  return `Advanced ${roughly(to - from)} in ${roughly(wallMs)}: ${summary}${missed}.`;
}

/** `and 812 more`. */
export function moreLine({ entries, total }: Ledger): string {
  return total > entries.length ? `and ${count(total - entries.length, "more", "more")}` : "";
}
