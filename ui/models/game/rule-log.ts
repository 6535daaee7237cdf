import { createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { JournalEntry } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { type Described, describeEntry } from "../describe.ts";
import { ofTypes } from "../refresh.ts";
import { href } from "../router.ts";
import type { GameApi } from "./api.ts";

export const KEPT_RULE_ENTRIES = 500;
const isOfRules = ofTypes("rule.*");

/** What the rules engine did, newest first: what the journal has, and what comes. */
export const RuleLogModel = createModel((api: Pick<GameApi, "ruleEntries">, live: Live) => {
  const entries = signal<JournalEntry[] | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  let world = 0;

  function add(more: JournalEntry[]): void {
    const bySeq = new Map((entries.peek() ?? []).concat(more).map((entry) => [entry.seq, entry]));
    entries.value = [...bySeq.values()].sort((a, b) => b.seq - a.seq).slice(0, KEPT_RULE_ENTRIES);
  }

  async function read(): Promise<void> {
    const readWorld = world;
    try {
      const found = await api.ruleEntries(KEPT_RULE_ENTRIES);
      if (readWorld !== world) return;
      add(found);
      error.value = undefined;
    } catch (reason) {
      if (readWorld === world) error.value = reason as Error;
    }
  }

  effect(() =>
    live.onEntries((entries) => {
      const more = entries.filter(isOfRules);
      if (more.length > 0) add(more);
    }),
  );
  effect(() =>
    live.onReplaced(() => {
      world += 1;
      entries.value = undefined;
      void read();
    }),
  );
  void read();

  return {
    entries: entries as ReadonlySignal<JournalEntry[] | undefined>,
    error: error as ReadonlySignal<Error | undefined>,
    read,
  };
});

/** An entry of the rules engine as a person reads it; it leads to its payment, else to the journal. */
export function describeRuleEntry(entry: JournalEntry): Described & { href: string; isPayment: boolean } {
  const described = describeEntry(entry);
  return {
    ...described,
    isPayment: described.href !== undefined,
    href: described.href ?? href(["activity", "journal", String(entry.seq)]),
  };
}
