import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import { Button } from "../parts.tsx";

const LEGEND = [
  ["good", "delivered"],
  ["bad", "failed"],
  ["good manual", "retried by hand"],
  ["good resend", "resent"],
  ["planned", "planned"],
  ["forecast", "if all fail"],
];

/** Shows everything again, and what the marks mean. */
export function Zoom({ model }: { model: TimelineModel }) {
  return (
    <div class="actions zoom">
      <Button look="quiet" aria-pressed={model.view.fitting.value} onClick={model.showAll}>
        Fit
      </Button>
      <Menu
        id="legend"
        label="What the marks mean"
        look="button quiet"
        class="up"
        button={<Icon name="more" />}
      >
        <ul class="stack legend">
          {LEGEND.map(([look, means]) => (
            <li key={means}>
              <i class={`mark small ${look}`} /> {means}
            </li>
          ))}
        </ul>
      </Menu>
    </div>
  );
}
