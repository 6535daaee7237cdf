import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { Text } from "../../components/parts.tsx";
import { describeEntry } from "../../models/describe.ts";
import { brief, clip, count, toMs } from "../../models/format.ts";
import type { Lines, Step } from "../../models/scenarios/course.ts";
import { rootOf, worldBase } from "../../models/snapshots/api.ts";

/** Longer texts of an entry are shortened: they are user data. */
const LONGEST = 240;

interface StepLedgerProps {
  step: Step;
  /** The run's own world, to which the entries lead. */
  world: string;
  since: number;
  /** Whether it begins unfolded. */
  open: boolean;
}

/** What a step caused, folded; it is only drawn when it is looked at. */
export function StepLedger({ step: { index, entries, total }, world, since, open }: StepLedgerProps) {
  const { api } = useApp();
  const shown = useSignal(open);
  const page = worldBase(rootOf(api.transport.base), world);
  return (
    <details
      class="step-ledger"
      open={open}
      onToggle={({ currentTarget }) => (shown.value = currentTarget.open)}
    >
      <summary>
        What it caused: {count(total, "entry", "entries")}
        <span class="vh"> of step {index + 1}</span>
      </summary>
      {shown.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol tabIndex={0} aria-label={`Entries of step ${index + 1}`}>
          {entries.map((entry) => {
            const { title, detail, tone, href } = describeEntry(entry);
            return (
              <li key={entry.seq} class={tone}>
                <time>{brief(toMs(entry.at), since)}</time>
                <i class={`dot ${tone}`} aria-hidden="true" />
                <span class="entry">
                  {href ? (
                    <Text as="a" href={page + href} of={clip(title, LONGEST)} />
                  ) : (
                    <Text of={clip(title, LONGEST)} />
                  )}
                  {detail && (
                    <span class="note">
                      {" "}
                      <Text of={clip(detail, LONGEST)} />
                    </span>
                  )}
                </span>
              </li>
            );
          })}
          {total > entries.length && (
            <li class="note">
              and {count(total - entries.length, "more", "more")}: the world's journal has all
            </li>
          )}
        </ol>
      )}
    </details>
  );
}

/** Lines that a scenario wrote, with the virtual time at which it did. */
export function Log({ label, of, since }: { label: string; of: Lines; since: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <ol class="run-log" tabIndex={0} aria-label={label}>
      {of.earlier > 0 && <li class="note">{count(of.earlier, "earlier line")}: the report has more</li>}
      {of.latest.map(({ at, text }, place) => (
        <li key={of.earlier + place}>
          <time>{brief(toMs(at), since)}</time>
          <Text as="span" class="run-log-text" of={text} />
        </li>
      ))}
    </ol>
  );
}
