import { DAY, HOUR, MINUTE, roughly } from "../../models/format.ts";
import type { TimelineView } from "../../models/timeline/view.ts";
import { useApp } from "../context.ts";
import { Button } from "../parts.tsx";

const SPANS: [name: string, span: number][] = [
  ["1 min", MINUTE],
  ["10 min", 10 * MINUTE],
  ["1 h", HOUR],
  ["1 day", DAY],
  ["7 days", 7 * DAY],
];

/** How much time is shown, and the legend of the marks. */
export function Zoom({ view }: { view: TimelineView }) {
  const { clock } = useApp();
  return (
    <div class="timeline-tools">
      <ul class="legend">
        <li>
          <i class="mark good small" /> delivered
        </li>
        <li>
          <i class="mark bad small" /> failed
        </li>
        <li>
          <i class="mark good small resend" /> resent
        </li>
        <li>
          <i class="mark planned small" /> planned
        </li>
        <li>
          <i class="mark forecast small" /> if all fail
        </li>
      </ul>
      <fieldset class="zoom">
        <legend class="vh">Zoom</legend>
        <Button look="quiet" icon="minus" aria-label="Zoom out" onClick={() => view.zoomBy(1 / 0.6)} />
        <span class="zoom-span">{roughly(view.span.value)}</span>
        <Button look="quiet" icon="plus" aria-label="Zoom in" onClick={() => view.zoomBy(0.6)} />
        {SPANS.map(([name, span]) => (
          <Button key={name} look="quiet" onClick={() => view.zoomTo(span, clock.exact())}>
            {name}
          </Button>
        ))}
        <Button look="quiet" aria-pressed={view.fitting.value} onClick={view.refit}>
          Fit
        </Button>
      </fieldset>
    </div>
  );
}
