import { VIEWS } from "../views/registry.ts";
import { Dialog } from "./dialog.tsx";

const KEYS: [keys: string, does: string][] = [
  ["Space", "pause or resume the clock"],
  ["→", "advance 1 minute"],
  ["⇧ →", "advance 10 minutes"],
  ["h", "advance 1 hour"],
  ["d", "advance 1 day"],
  ["n", "advance to what is due next"],
  ["Ctrl K", "go to a view, an id or a client reference, or do something"],
  ["/", "search in this view"],
  ["f", "presentation mode"],
  ["t", "light, dark or the system's theme"],
  ["Esc", "skip to the end of an advance, or close the details"],
  ["l", "show or hide the summaries of advances"],
  ["PgDn PgUp", "in the demo: do the step or go on; go back"],
  ["?", "this help"],
];

const ON_TIMELINE: [keys: string, does: string][] = [
  ["← →", "from attempt to attempt"],
  ["Home End", "first and last attempt"],
  ["Enter", "open the attempt"],
  ["+ −", "zoom"],
  ["0", "fit the timeline to its attempts"],
];

const IN_REPLAY: [keys: string, does: string][] = [
  ["Space", "pause or play"],
  ["← →", "from step to step"],
  ["End", "skip to the end"],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div class="fit help">
        <Keys title="Everywhere" of={KEYS} />
        <div>
          <Keys title="Go to" of={VIEWS.map(({ key, title }) => [`g ${key}`, title])} />
          <Keys title="On a timeline" of={ON_TIMELINE} />
          <Keys title="In a scenario's replay" of={IN_REPLAY} />
        </div>
      </div>
    </Dialog>
  );
}

function Keys({ title, of }: { title: string; of: [string, string][] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="keys">
        {of.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
