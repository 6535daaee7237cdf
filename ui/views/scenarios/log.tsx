import { Text } from "../../components/parts.tsx";
import { brief, count, toMs } from "../../models/format.ts";
import type { Lines } from "../../models/scenarios/course.ts";

/** Lines that a scenario wrote, with the virtual time at which it did. */
export function Log({ label, of, since }: { label: string; of: Lines; since: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <ol class="run-log" tabIndex={0} aria-label={label}>
      {of.earlier > 0 && <li class="note">{count(of.earlier, "earlier line")}: the report has more</li>}
      {of.latest.map(({ at, text }, place) => (
        <li key={of.earlier + place}>
          <time>{brief(toMs(at), since)}</time>
          <span class="run-log-text">
            <Text of={text} />
          </span>
        </li>
      ))}
    </ol>
  );
}
