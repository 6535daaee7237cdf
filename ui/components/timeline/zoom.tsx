import { useComputed } from "@preact/signals";
import { DAY, HOUR, MINUTE, roughly } from "../../models/format.ts";
import { drawnSpan, type Stretch } from "../../models/timeline/fit.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import { Button } from "../parts.tsx";

const SPANS: [name: string, span: number][] = [
  ["1 min", MINUTE],
  ["10 min", 10 * MINUTE],
  ["1 h", HOUR],
  ["1 day", DAY],
  ["7 days", 7 * DAY],
];

const LEGEND = [
  ["good", "delivered"],
  ["bad", "failed"],
  ["good resend", "resent"],
  ["planned", "planned"],
  ["forecast", "if all fail"],
];

const around = (at: number, span: number): Stretch => ({ from: at - span / 2, to: at + span / 2 });

/** How much time is shown, and what the marks mean. The wheel and the strip zoom, too. */
export function Zoom({ model }: { model: TimelineModel }) {
  const { view, linear } = model;
  const { clock } = useApp();
  const seen = useComputed(() => {
    const { chosen, scale, time } = view;
    if (chosen.value) return roughly(chosen.value.to - chosen.value.from);
    const drawn = drawnSpan(time.value, scale.value, clock.second.value);
    return drawn > 0 ? roughly(drawn) : "an instant";
  });
  return (
    <fieldset class="actions zoom">
      <legend class="vh">Zoom</legend>
      <span class="zoom-span">{seen}</span>
      <Button look="quiet" aria-pressed={view.fitting.value} onClick={model.showAll}>
        Fit
      </Button>
      <Menu id="zoom" label="Zoom and legend" look="button quiet" class="up" button={<Icon name="more" />}>
        <ul class="stack legend">
          {LEGEND.map(([look, means]) => (
            <li key={means}>
              <i class={`mark small ${look}`} /> {means}
            </li>
          ))}
        </ul>
        <div class="menu-list">
          {SPANS.map(([name, span]) => (
            <Button key={name} look="quiet" onClick={() => view.choose(around(clock.exact(), span))}>
              {name}
            </Button>
          ))}
          <Button
            look="quiet"
            aria-pressed={linear.value}
            title="Draw every hour as long as the next"
            onClick={() => (linear.value = !linear.value)}
          >
            Linear time
          </Button>
        </div>
      </Menu>
    </fieldset>
  );
}
