import { batch, computed, effect, type ReadonlySignal, signal, untracked } from "@preact/signals";
import { worthShowing } from "../../src/timeline/entries.ts";
import type { JournalEntry } from "../api-types.ts";
import { createChannel, type Live } from "../live.ts";
import type { Clock, Machine } from "./clock.ts";
import { DAY, SECOND, toMs } from "./format.ts";
import { createScore, shownAt } from "./score.ts";

/** A jump further than this is played, so that the eye can follow it; times the clock's rate. */
const JUMP_MS = 2 * SECOND;
/** An advance that is not answered within this is shown as far as it got, real milliseconds. */
const PATIENCE_MS = 400;

/** So often the texts of the page change while a stretch is played, besides where something happens. */
const TEXT_STEPS = 12;

/** How long after a world was replaced its clock may take to say where it is, real milliseconds. */
const CUT_MS = 1_000;

export interface StageParts {
  machine: Machine;
  clock: Clock;
  /** The journal as far as the page has it, in order. */
  entries: ReadonlySignal<readonly JournalEntry[]>;
  /** Waits until the page has everything up to a journal entry. */
  caughtUp: (seq: number | undefined) => Promise<void>;
}

export type Stage = ReturnType<typeof createStage>;

/**
 * The time that the page shows. It is the clock's, until the clock jumps: then everything on the page stays as it was
 * until the page has read what the jump caused, and follows the line from event to event. So nothing that is drawn is
 * ever later than the line.
 */
export function createStage({ machine, clock, entries, caughtUp }: StageParts) {
  const now = signal(clock.now.peek());
  const until = signal<number | undefined>(undefined);
  const playing = signal<{ from: number; to: number } | undefined>(undefined);
  /** Advances of this page that are not answered yet. */
  const expected = signal(0);
  const starts: (() => void)[] = [];
  const ends: (() => void)[] = [];
  let lastSeq: number | undefined;
  let performing = false;
  let impatient = false;
  let finish: (() => void) | undefined;
  let wake: (() => void) | undefined;
  let closed = false;
  /** Until then, real milliseconds, a jump of the clock is a cut: the world is another one. */
  let cutUntil = Number.NEGATIVE_INFINITY;

  const jump = () => JUMP_MS * Math.max(1, clock.state.peek().rate);

  /** From here on, nothing that happens later is drawn. */
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

  /** Plays from where the line is to an instant. */
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

  /** The next that is heard of the clock, or of an advance. */
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
      // The world went back: there is nothing to play.
      finish?.();
      if (!performing) release();
    } else if (until.peek() === undefined) {
      if (at - now.peek() <= jump()) now.value = at;
      else void perform();
    } else if (expected.peek() === 0 || (impatient && advances)) void perform();
  }

  /** The line, or the latest of the few places at which texts follow it: each stop is one. */
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
    // Entries may come before the clock that they are of.
    effect(() => {
      const newest = entries.value.at(-1);
      if (newest && toMs(newest.at) > clock.exact() + jump()) hold();
    }),
  ];

  return {
    /** Where the line is, virtual milliseconds. */
    now: now as ReadonlySignal<number>,
    /** The same in whole seconds, and in few steps while it is played: each change of a text is a layout. */
    second: computed(() => Math.floor(stepAt() / SECOND) * SECOND),
    /** The beginning of the day, for what depends on that alone. */
    day: computed(() => Math.floor(now.value / DAY) * DAY),
    /** Nothing that is later is drawn; undefined while everything is. */
    until: until as ReadonlySignal<number | undefined>,
    playing: playing as ReadonlySignal<{ from: number; to: number } | undefined>,
    /** An advance is asked for: what it causes waits for its turn. */
    expect(): void {
      expected.value += 1;
      hold();
      setTimeout(() => {
        impatient = expected.peek() > 0;
        if (impatient && clock.state.peek().advance) void perform();
      }, PATIENCE_MS);
    },
    /**
     * The advance was answered, or refused.
     * @param to where it ended
     * @param seq its last journal entry
     * @param start called when it begins to be shown
     */
    arrive(to?: number, seq?: number, start?: () => void): Promise<void> {
      expected.value -= 1;
      // First, because the clock's jump asks at once for everything up to it.
      if (seq !== undefined) lastSeq = seq;
      if (to !== undefined) clock.reach(to);
      if (start) starts.push(start);
      const shown = new Promise<void>((resolve) => void ends.push(resolve));
      wake?.();
      void perform();
      return shown;
    },
    skip: () => finish?.(),
    /** The world was replaced, as by a restore: what it jumps to is shown at once. */
    cut(): void {
      cutUntil = machine.now() + CUT_MS;
      lastSeq = undefined;
      finish?.();
      if (!performing) release();
    },
    /** Calls once everything is shown; at once if it is. */
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
 * The live connection for what shows the present alone, such as lists: it hands an entry on once the stage shows
 * everything, so that no list is ahead of the line.
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
