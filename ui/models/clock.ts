import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../api.ts";
import type { ClockMessage, Status } from "../api-types.ts";
import type { Live } from "../live.ts";
import { SECOND, toMs } from "./format.ts";

/** How often to check whether the displayed time must be updated, in real milliseconds. */
const TICK_LIVE_MS = 250;
const TICK_SCALED_MS = 50;

export type ClockMode = "live" | "scaled" | "paused";

/** An advance in progress, whichever client requested it. */
export interface AdvanceProgress {
  from: number;
  now: number;
  /** Where the advance will end; null if that depends on what happens. */
  to: number | null;
  entries: number;
  waiting: number;
  /** Whether a client has asked to stop the advance. */
  ending: boolean;
}

export interface ClockState {
  mode: ClockMode;
  rate: number;
  /** When the user's next own timer is due; null if there is none, undefined until known. */
  nextDue: number | null | undefined;
  /** Whether every pending timer belongs to the demo data. */
  onlyDemoDue: boolean;
  advance: AdvanceProgress | undefined;
  /** The sequence number of the world's newest journal entry. */
  lastSeq: number;
}

/** The browser's timer functions that the model needs. Tests provide their own. */
export interface Machine {
  /** Real milliseconds since an arbitrary origin. */
  now(): number;
  /** Runs a function every `ms` milliseconds. Returns a function that stops it. */
  every(ms: number, run: () => void): () => void;
  /** Runs a function at the next animation frame. Returns a function that cancels it. */
  frame(run: () => void): () => void;
  moves(): boolean;
}

const orNull = (instant: string | null): number | null => (instant === null ? null : toMs(instant));

export type Clock = ReturnType<typeof createClock>;

/**
 * The world's virtual clock as this page sees it. It stops while the server is not responding, because the real clock's
 * state is then unknown. The stage decides how a jump is shown.
 */
export function createClock(api: Api, live: Live, machine: Machine, status: Status["clock"]) {
  const state = signal<ClockState>({
    mode: status.mode as ClockMode,
    rate: status.rate,
    nextDue: undefined,
    onlyDemoDue: false,
    advance: undefined,
    lastSeq: 0,
  });
  let anchor = { virtual: toMs(status.now), real: machine.now() };
  const shown = signal(anchor.virtual);
  let stopTicking = () => {};
  let held = false;

  /** Whether the clock moves on its own. During an advance it jumps from instant to instant instead. */
  const runs = ({ mode, advance }: ClockState) => !held && mode !== "paused" && !advance;

  function exact(): number {
    if (!runs(state.peek())) return anchor.virtual;
    return anchor.virtual + (machine.now() - anchor.real) * state.peek().rate;
  }

  function show(): void {
    const now = exact();
    // In live mode, redraw only once a second.
    const isSame = Math.floor(now / SECOND) === Math.floor(shown.peek() / SECOND);
    if (!isSame || state.peek().mode !== "live" || !runs(state.peek())) shown.value = now;
  }

  function tick(): void {
    stopTicking();
    if (!runs(state.peek())) stopTicking = () => {};
    else stopTicking = machine.every(state.peek().mode === "live" ? TICK_LIVE_MS : TICK_SCALED_MS, show);
  }

  function apply(next: ClockMessage["data"]): void {
    held = false;
    anchor = { virtual: toMs(next.now), real: machine.now() };
    const current: ClockState = {
      mode: next.mode,
      rate: next.rate,
      nextDue: orNull(next.next_own_due),
      onlyDemoDue: next.next_own_due === null && next.next_due !== null,
      advance: next.advance
        ? { ...next.advance, from: toMs(next.advance.from), to: orNull(next.advance.to), now: anchor.virtual }
        : undefined,
      lastSeq: next.last_seq,
    };
    // The server is polled every second, and an unchanged state must not cause a redraw.
    if (current.advance || JSON.stringify(current) !== JSON.stringify(state.peek())) state.value = current;
    show();
    tick();
  }

  function hold(): void {
    anchor = { virtual: exact(), real: machine.now() };
    held = true;
    show();
    tick();
  }

  const stopListening = live.onClock(apply);
  const stopHolding = effect(() => {
    if (["silent", "lost", "ended"].includes(live.connection.value.state)) hold();
  });
  tick();

  return {
    state: state as ReadonlySignal<ClockState>,
    /** The displayed virtual time in milliseconds, updated while the clock runs. */
    now: shown as ReadonlySignal<number>,
    exact,
    /** Called when an advance has finished, so the clock is at least at `at`. */
    reach(at: number): void {
      if (at > exact()) anchor = { virtual: at, real: machine.now() };
      show();
    },
    running: computed(() => state.value.mode !== "paused"),
    pause: () => api.pauseClock(),
    resume: () => api.resumeClock(),
    /** Sets the rate. A paused clock stays paused and uses the rate when it resumes. */
    setRate: (rate: number) => api.setClock({ rate }),
    close(): void {
      stopListening();
      stopHolding();
      stopTicking();
    },
  };
}
