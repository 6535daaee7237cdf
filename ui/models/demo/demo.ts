import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Clock } from "../clock.ts";
import type { Prefs } from "../prefs.ts";
import type { Toasts } from "../toasts.ts";
import { type DemoParts, demoActions } from "./actions.ts";

/** A piece of a line: as it is, or a name on the page. */
export interface Piece {
  text: string;
  /** What is clicked, or the view that it is in. */
  kind: "text" | "button" | "view";
}

export interface DemoStep {
  /** When, from the beginning: `0:25`. */
  at: string;
  click: Piece[];
  say: string;
}

const ROW = /^\|\s*(\d+:\d\d)\s*\|(.*)\|(.*)\|\s*$/;
const NAMES = /\*\*([^*]+)\*\*|_([^_]+)_/g;

/** The steps of docs/demo.md: the rows of its table. */
export function readScript(markdown: string): DemoStep[] {
  return markdown.split("\n").flatMap((line) => {
    const row = ROW.exec(line);
    return row ? [{ at: row[1]!, click: piecesOf(row[2]!.trim()), say: row[3]!.trim() }] : [];
  });
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(NAMES)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), kind: "text" });
    const [whole, button, view] = match;
    pieces.push(button === undefined ? { text: view!, kind: "view" } : { text: button, kind: "button" });
    end = match.index + whole.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), kind: "text" });
  return pieces;
}

export type Demo = ReturnType<typeof createDemo>;

/** Walks through docs/demo.md: what to click and what to say, and does each step when asked. */
export function createDemo(
  parts: DemoParts & { clock: Pick<Clock, "running" | "pause">; prefs: Prefs; toasts: Toasts },
) {
  const actions = demoActions(parts);
  const steps = signal<DemoStep[]>([]);
  const index = signal<number | undefined>(undefined);
  /** Whether the step was done. */
  const done = signal(false);
  const busy = signal(false);

  function go(to: number): void {
    index.value = Math.min(steps.peek().length - 1, Math.max(0, to));
    done.value = false;
  }

  async function act(): Promise<void> {
    const step = index.peek();
    if (step === undefined || busy.peek()) return;
    busy.value = true;
    await parts.toasts.attempt(async () => {
      await actions[step]?.();
      if (index.peek() === step) done.value = true;
    });
    busy.value = false;
  }

  return {
    step: computed(() => (index.value === undefined ? undefined : steps.value[index.value])),
    place: computed(() => ({ index: index.value ?? 0, of: steps.value.length })),
    done: done as ReadonlySignal<boolean>,
    async start(): Promise<void> {
      const { default: text } = await import("../../../docs/demo.md?raw");
      steps.value = readScript(text);
      parts.prefs.presenting.value = true;
      // Its words say that the clock waits.
      if (parts.clock.running.peek()) await parts.toasts.attempt(parts.clock.pause);
      go(0);
    },
    act,
    back: () => go((index.peek() ?? 0) - 1),
    next: () => go((index.peek() ?? 0) + 1),
    /** Does the step, or goes on to the next once it is done: what a presenter's remote asks for. */
    async forward(): Promise<void> {
      if (!done.peek()) await act();
      else if ((index.peek() ?? 0) < steps.peek().length - 1) go((index.peek() ?? 0) + 1);
    },
    end(): void {
      index.value = undefined;
      done.value = false;
    },
  };
}
