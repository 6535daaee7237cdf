import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { IDLE, NEXT, STEPS } from "../models/advances.ts";
import { clip } from "../models/format.ts";
import { type Command, endpointCommands, findCommands, referenceCommands } from "../models/palette.ts";
import { href } from "../models/router.ts";
import { VIEWS } from "../views/registry.ts";
import { useApp } from "./context.ts";
import { Dialog } from "./dialog.tsx";

/** Every view, action, endpoint, id and client reference, by typing. */
export function Palette({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const { api, endpoints, router } = app;
  const typed = useSignal("");
  const at = useSignal(0);
  const references = useSignal<Command[]>([]);
  useEffect(() => {
    api.sessions({ limit: 100 }).then(
      ({ data }) => (references.value = referenceCommands(data)),
      // Without them, everything else is still found.
      () => undefined,
    );
  }, []);
  const found = useComputed(() => {
    const views: Command[] = VIEWS.map(({ title, name, key }) => ({
      title,
      kind: "View",
      key: `g ${key}`,
      run: href([name]),
    }));
    const all = [
      ...views,
      ...actionsOf(app),
      ...endpointCommands(endpoints.list.value ?? []),
      ...references.value,
    ];
    return findCommands(all, typed.value);
  });
  const chosen = Math.min(at.value, found.value.length - 1);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    if (typeof command.run === "string") router.go(command.run);
    else void command.run();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") run(found.value[chosen]);
    else if (event.key === "ArrowDown") at.value = Math.min(found.value.length - 1, chosen + 1);
    else if (event.key === "ArrowUp") at.value = Math.max(0, chosen - 1);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title="Commands" onClose={onClose}>
      <div class="field palette">
        <input
          type="text"
          role="combobox"
          aria-label="View, action, id or client reference"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={chosen >= 0 ? `palette-${chosen}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder="View, action, id or client reference"
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={press}
        />
        <div id="palette-list" role="listbox" aria-label="Found">
          {found.value.map((command, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={`${command.kind}/${command.title}`}
              id={`palette-${index}`}
              role="option"
              aria-selected={index === chosen}
              onClick={() => run(command)}
            >
              <span class="ellipsis">{clip(command.title, 80)}</span>
              <span class="note">{command.key ? <kbd>{command.key}</kbd> : command.kind}</span>
            </div>
          ))}
        </div>
        {found.value.length === 0 && <p class="note">Nothing matches.</p>}
      </div>
    </Dialog>
  );
}

function actionsOf({ clock, demo, ledger, prefs, toasts, undo }: ReturnType<typeof useApp>): Command[] {
  const action = (title: string, run: () => unknown, key?: string): Command => ({
    title,
    kind: "Action",
    key,
    run,
  });
  return [
    ...STEPS.map(({ label, request, key }) =>
      action(`Advance the clock ${label}`, () => ledger.advance(request), key),
    ),
    action("Advance to what is due next", () => ledger.advance(NEXT), "n"),
    action("Run everything due", () => ledger.advance(IDLE)),
    action(
      "Pause or resume the clock",
      () => toasts.attempt(() => (clock.running.value ? clock.pause() : clock.resume())),
      "Space",
    ),
    ...(undo.label.value === undefined ? [] : [action(`Undo ${undo.label.value}`, undo.undo)]),
    action("Presentation mode", prefs.togglePresenting, "f"),
    action("Light or dark theme", prefs.nextTheme, "t"),
    action("Run the demo", demo.start),
    ...(globalThis.Notification?.permission === "default"
      ? [action("Notify me when an endpoint is disabled", () => Notification.requestPermission())]
      : []),
  ];
}
