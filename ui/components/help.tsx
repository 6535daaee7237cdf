import { VIEWS } from "../views/registry.ts";
import { useApp } from "./context.ts";
import { type Closable, Dialog } from "./dialog.tsx";
import { Check } from "./field.tsx";

const KEYS: [keys: string, does: string][] = [
  ["Space", "pause or resume the clock"],
  ["→", "advance 1 minute"],
  ["⇧ →", "advance 10 minutes"],
  ["h", "advance 1 hour"],
  ["d", "advance 1 day"],
  ["n", "advance to what is due next"],
  ["/", "search in this view"],
  ["f", "presentation mode"],
  ["t", "light, dark or the system's theme"],
  ["Esc", "skip to the end of an advance, or close the details"],
  ["l", "show or hide the summaries of advances"],
  ["?", "this help"],
];

const ON_TIMELINE: [keys: string, does: string][] = [
  ["← →", "move from attempt to attempt"],
  ["Home End", "first and last attempt"],
  ["Enter", "open the attempt"],
  ["+ −", "zoom"],
  ["0", "fit the timeline to its attempts"],
];

const PLACES: [keys: string, does: string][] = [
  ["g e", "Endpoints"],
  ...VIEWS.flatMap(({ title, place }): [string, string][] => (place ? [[`g ${place.key}`, title]] : [])),
];

export function Help({ onClose }: Closable) {
  const { prefs } = useApp();
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div class="fit help">
        <Keys title="Everywhere" of={KEYS} />
        <div>
          <Keys title="Go to" of={PLACES} />
          <Keys title="On a timeline" of={ON_TIMELINE} />
        </div>
      </div>
      <Check
        label="Single-letter shortcuts"
        of={prefs.letters}
        hint="They do nothing while a button, a link or a field has the focus."
      />
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
