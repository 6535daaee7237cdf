import { batch, computed, effect, type ReadonlySignal, signal, untracked } from "@preact/signals";
import { worthShowing } from "../../src/timeline/entries.ts";
import type { JournalEntry } from "../api-types.ts";
import { createChannel, type Live } from "../live.ts";
import type { Clock, Machine } from "./clock.ts";
import { DAY, SECOND, toMs } from "./format.ts";
import { createScore, shownAt } from "./score.ts";

/** Jumps longer than this, scaled by the clock's rate, are animated so the user can follow them. */
const JUMP_MS = 2 * SECOND;
/** If an advance takes longer than this many real milliseconds, its progress so far is shown. */
const PATIENCE_MS = 400;

/** How often text is updated during an animation, in addition to the update at each stop. */
const TEXT_STEPS = 12;

/** How long to wait until the clock of a replaced world reports its time, in real milliseconds. */
const CUT_MS = 1_000;

export interface StageParts {
  machine: Machine;
  clock: Clock;
  /** The journal entries that the page has received, in order. */
  entries: ReadonlySignal<readonly JournalEntry[]>;
  /** Waits until the page has loaded everything up to a journal entry. */
  caughtUp: (seq: number | undefined) => Promise<void>;
}

export type Stage = ReturnType<typeof createStage>;

/**
 * The displayed time. It follows the clock until the clock jumps. Then the page stays unchanged until it has loaded
 * what the jump caused, and animates this from event to event. Nothing that is drawn is ever later than the line.
 */
export function createStage({ machine, clock, entries, caughtUp }: StageParts) {
  const now = signal(clock.now.peek());
  const until = signal<number | undefined>(undefined);
  const playing = signal<{ from: number; to: number } | undefined>(undefined);
  /** The number of advances that this page has sent and that have not been completed yet. */
  const expected = signal(0);
  const starts: (() => void)[] = [];
  const ends: (() => void)[] = [];
  let lastSeq: number | undefined;
  let performing = false;
  let impatient = false;
  let finish: (() => void) | undefined;
  let wake: (() => void) | undefined;
  let closed = false;
  /** Until this real time, jumps of the clock are not animated, because the world was replaced. */
  let cutUntil = Number.NEGATIVE_INFINITY;

  const jump = () => JUMP_MS * Math.max(1, clock.state.peek().rate);

  /** Freezes the page at the displayed time, so nothing later is drawn. */
  function hold(): void {
    until.value ??= now.peek();
  }

  function begin(): void {
    for (const start of starts.splice(0)) start();
  }

  function release(): void {
    batch(() => {
      begin();
      now.value = clock.exact();
      until.value = undefined;
      playing.value = undefined;
      for (const end of ends.splice(0)) end();
    });
  }

  function reach(to: number): void {
    batch(() => {
      begin();
      now.value = to;
      until.value = to;
    });
  }

  /** Animates the line from its position to an instant. */
  function play(to: number): Promise<void> {
    const from = now.peek();
    const happened = worthShowing(entries.peek())
      .map(({ at, type }) => ({ at: toMs(at), type }))
      .filter(({ at }) => at > from && at <= to);
    const disabled = happened.filter(({ type }) => type === "webhook.disabled");
    const score = createScore(
      from,
      to,
      happened.map(({ at }) => at),
      disabled.map(({ at }) => at),
    );
    return new Promise((resolve) => {
      const began = machine.now();
      let stop = () => {};
      const draw = () => {
        const elapsed = machine.now() - began;
        const shown = shownAt(score, elapsed);
        batch(() => {
          now.value = shown.line;
          until.value = shown.until;
        });
        if (elapsed >= score.duration) finish?.();
        else stop = machine.frame(draw);
      };
      finish = () => {
        finish = undefined;
        stop();
        reach(to);
        resolve();
      };
      batch(() => {
        begin();
        playing.value = { from, to };
      });
      stop = machine.frame(draw);
    });
  }

  /** Resolves at the next update of the clock or of an advance. */
  const heard = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  async function perform(): Promise<void> {
    if (performing) return;
    performing = true;
    hold();
    while (!closed) {
      const heardAt = machine.now();
      await caughtUp(Math.max(lastSeq ?? 0, clock.state.peek().lastSeq) || undefined);
      const to = clock.exact();
      if (to < now.peek()) break;
      if (machine.moves() && to > now.peek() && heardAt >= cutUntil) await play(to);
      else reach(to);
      const waits = expected.peek() > 0 || clock.state.peek().advance !== undefined;
      if (!waits && clock.exact() - now.peek() <= jump()) break;
      if (waits) await heard();
    }
    performing = false;
    impatient = false;
    if (!closed) release();
  }

  function follow(at: number, advances: boolean): void {
    wake?.();
    if (at < now.peek() - SECOND) {
      // The clock was set back in time, so there is nothing to animate.
      finish?.();
      if (!performing) release();
    } else if (until.peek() === undefined) {
      if (at - now.peek() <= jump()) now.value = at;
      else void perform();
    } else if (expected.peek() === 0 || (impatient && advances)) void perform();
  }

  /**
   * The time shown in text: the line's position, rounded during an animation to the stops and a few steps between them.
   */
  function stepAt(): number {
    if (!playing.value) return now.value;
    const { from, to } = playing.value;
    const step = (to - from) / TEXT_STEPS;
    return Math.max(from + Math.floor((now.value - from) / step) * step, until.value ?? from);
  }

  const stops = [
    effect(() => {
      const advances = clock.state.value.advance !== undefined;
      const at = clock.now.value;
      untracked(() => follow(at, advances));
    }),
    // Entries may arrive before the update of the clock that they belong to.
    effect(() => {
      const newest = entries.value.at(-1);
      if (newest && toMs(newest.at) > clock.exact() + jump()) hold();
    }),
  ];

  return {
    /** The line's position in virtual milliseconds. */
    now: now as ReadonlySignal<number>,
    /**
     * The displayed time in whole seconds. During an animation it has fewer steps, because every change of a text
     * causes a layout.
     */
    second: computed(() => Math.floor(stepAt() / SECOND) * SECOND),
    /** The start of the day that is displayed. */
    day: computed(() => Math.floor(now.value / DAY) * DAY),
    /** The time after which nothing is drawn; undefined if everything is drawn. */
    until: until as ReadonlySignal<number | undefined>,
    playing: playing as ReadonlySignal<{ from: number; to: number } | undefined>,
    /** Called when an advance has been requested. Holds back its effects until they are animated. */
    expect(): void {
      expected.value += 1;
      hold();
      setTimeout(() => {
        impatient = expected.peek() > 0;
        if (impatient && clock.state.peek().advance) void perform();
      }, PATIENCE_MS);
    },
    /**
     * Called when the advance has been completed or rejected.
     * @param to where the advance ended
     * @param seq its last journal entry
     * @param start called when its animation starts
     */
    arrive(to?: number, seq?: number, start?: () => void): Promise<void> {
      expected.value -= 1;
      // Set this first, because the clock's jump immediately waits for everything up to this entry.
      if (seq !== undefined) lastSeq = seq;
      if (to !== undefined) clock.reach(to);
      if (start) starts.push(start);
      const shown = new Promise<void>((resolve) => void ends.push(resolve));
      wake?.();
      void perform();
      return shown;
    },
    skip: () => finish?.(),
    /** Called when the world was replaced, for example by a restore. The next jump is shown without an animation. */
    cut(): void {
      cutUntil = machine.now() + CUT_MS;
      lastSeq = undefined;
      finish?.();
      if (!performing) release();
    },
    /** Runs a function once everything is shown, or immediately if it already is. */
    whenShown(run: () => void): void {
      if (until.peek() === undefined) run();
      else ends.push(run);
    },
    close(): void {
      closed = true;
      finish?.();
      for (const stop of stops) stop();
    },
  };
}

/**
 * The live connection for components that show only the present, such as lists. It delivers entries once the stage
 * shows everything, so no list is ahead of the line.
 */
export function createStagedLive(live: Live, stage: Stage): Live {
  const staged = createChannel<JournalEntry[]>();
  let waiting: JournalEntry[] = [];

  function handOn(): void {
    const entries = waiting;
    waiting = [];
    if (entries.length > 0) staged.tell(entries);
  }

  live.onEntries((entries) => {
    const first = waiting.length === 0;
    waiting = waiting.concat(entries);
    if (first) stage.whenShown(handOn);
  });
  live.onReplaced(() => {
    waiting = [];
  });

  return { ...live, onEntries: staged.listen };
}
