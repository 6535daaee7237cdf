import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "../api.ts";
import type { ClockMessage, Status } from "../api-types.ts";
import type { Live } from "../live.ts";
import { SECOND, toMs } from "./format.ts";

/** How often it is seen whether the shown time is to be renewed, real milliseconds. */
const TICK_LIVE_MS = 250;
const TICK_SCALED_MS = 50;

export type ClockMode = "live" | "scaled" | "paused";

/** An advance in progress, whichever page or program asked for it. */
export interface AdvanceProgress {
  from: number;
  now: number;
  /** Where it ends; null where what happens decides. */
  to: number | null;
  entries: number;
  waiting: number;
  /** Whether its end was asked for, here or elsewhere. */
  ending: boolean;
}

export interface ClockState {
  mode: ClockMode;
  rate: number;
  /** When something of the person's own is due next; null if nothing is, undefined while that is not known. */
  nextDue: number | null | undefined;
  /** Whether what is due is about the demo data alone. */
  onlyDemoDue: boolean;
  advance: AdvanceProgress | undefined;
  /** The newest journal entry of the world. */
  lastSeq: number;
}

/** What the model needs of the machine; tests bring their own. */
export interface Machine {
  /** Real milliseconds, from any origin. */
  now(): number;
  /** Calls every so many milliseconds, until the returned end. */
  every(ms: number, run: () => void): () => void;
  /** Calls at the next frame, until the returned end. */
  frame(run: () => void): () => void;
  moves(): boolean;
}

const orNull = (instant: string | null): number | null => (instant === null ? null : toMs(instant));

export type Clock = ReturnType<typeof createClock>;

/**
 * The world's virtual clock as this page sees it. While the server does not answer it is held: how the clock runs
 * meanwhile is not known. The stage decides how a jump of it is shown.
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

  /** Whether it moves by itself: not while it is held, and in an advance it goes from instant to instant. */
  const runs = ({ mode, advance }: ClockState) => !held && mode !== "paused" && !advance;

  function exact(): number {
    if (!runs(state.peek())) return anchor.virtual;
    return anchor.virtual + (machine.now() - anchor.real) * state.peek().rate;
  }

  function show(): void {
    const now = exact();
    // At real time, what is drawn changes once a second.
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
    // The server is asked each second whether it still answers. Mostly nothing is new, and nothing is drawn again.
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
    /** The virtual instant, milliseconds, renewed while it runs. */
    now: shown as ReadonlySignal<number>,
    exact,
    /** An advance was answered: the clock is at least there. */
    reach(at: number): void {
      if (at > exact()) anchor = { virtual: at, real: machine.now() };
      show();
    },
    running: computed(() => state.value.mode !== "paused"),
    pause: () => api.pauseClock(),
    resume: () => api.resumeClock(),
    /** A clock that stands still stays so, and will run on at this rate. */
    setRate: (rate: number) => api.setClock({ rate }),
    close(): void {
      stopListening();
      stopHolding();
      stopTicking();
    },
  };
}
