import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Clock } from "../clock.ts";
import type { Prefs } from "../prefs.ts";
import type { Toasts } from "../toasts.ts";
import type { DemoParts } from "./actions.ts";

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
  parts: DemoParts & { clock: Pick<Clock, "exact" | "running" | "pause">; prefs: Prefs; toasts: Toasts },
) {
  // Most visits show no demo.
  const load = async () => (await import("./actions.ts")).demoActions(parts);
  const steps = signal<DemoStep[]>([]);
  const index = signal<number | undefined>(undefined);
  const busy = signal(false);

  /** Shows a step and does it. A press while a step is under way is ignored. */
  async function go(to: number): Promise<void> {
    if (busy.peek() || to >= steps.peek().length) return;
    busy.value = true;
    index.value = to;
    await parts.toasts.attempt(async () => (await load()).steps[to]?.());
    busy.value = false;
  }

  return {
    step: computed(() => (index.value === undefined ? undefined : steps.value[index.value])),
    place: computed(() => ({ index: index.value ?? 0, of: steps.value.length })),
    busy: busy as ReadonlySignal<boolean>,
    /** Makes an endpoint, and lets it fail until it is disabled. */
    watch: async () => (await load()).watch(),
    async start(): Promise<void> {
      const { default: text } = await import("../../../docs/demo.md?raw");
      steps.value = readScript(text);
      parts.prefs.presenting.value = true;
      // Its words say that the clock waits.
      if (parts.clock.running.peek()) await parts.toasts.attempt(parts.clock.pause);
      await go(0);
    },
    /** The words of the step before; what was done stays. */
    back(): void {
      if (!busy.peek()) index.value = Math.max(0, (index.peek() ?? 0) - 1);
    },
    forward: () => go((index.peek() ?? -1) + 1),
    end(): void {
      index.value = undefined;
    },
  };
}
