import { useSignal } from "@preact/signals";
import type { World } from "../../api-types.ts";
import { DEFAULT_WORLD, rootOf, worldBase } from "../../models/worlds.ts";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import { Button, Text } from "../parts.tsx";
import { Addresses, NewWorldDialog, RestoreDialog, SaveDialog } from "./dialogs.tsx";

/** Shows the name of the current world, links to the other worlds, and offers actions on whole worlds. */
export function WorldMenu() {
  const { api, status, toasts } = useApp();
  const worlds = useSignal<World[]>([]);
  const asked = useSignal<typeof SaveDialog>();
  const { world } = status.value;
  const root = rootOf(api.base);
  /** The address of the current view in another world. */
  const addressOf = (name: string) => `${worldBase(root, name)}${location.hash}`;

  const read = () =>
    void toasts.attempt(async () => {
      worlds.value = await api.worlds();
    });
  const fork = async () => {
    const made = await toasts.attempt(() => api.createWorld({ from: world }));
    if (made) location.assign(addressOf(made.world));
  };
  const reset = () =>
    toasts.attempt(async () => {
      const { seed } = await api.reset();
      toasts.done(`The world was reset to the fixtures of the seed ${seed}.`, api.undo);
    });
  const act = (name: string, onSend: () => Promise<unknown>) => (
    <Button look="quiet" onSend={onSend}>
      {name}
    </Button>
  );
  const ask = (name: string, dialog: typeof SaveDialog) => (
    <Button look="quiet" onClick={() => (asked.value = dialog)}>
      {name}
    </Button>
  );

  return (
    <>
      <Menu
        id="world"
        class="world-menu"
        look="bar-world"
        button={
          <>
            world <b class="ellipsis">{world}</b> <Icon name="down" />
          </>
        }
        onOpen={read}
      >
        <ul class="world-list" aria-label="Worlds">
          {worlds.value.map(({ name }) => (
            <li key={name}>
              <a href={addressOf(name)} aria-current={name === world ? "page" : undefined}>
                <Text of={name} />
              </a>
            </li>
          ))}
        </ul>
        <div class="menu-list">
          {act(`Fork ${world}`, fork)}
          {ask("New world…", NewWorldDialog)}
          {ask("Save…", SaveDialog)}
          {ask("Restore…", RestoreDialog)}
          {act("Reset", reset)}
          {ask("Addresses and keys", Addresses)}
        </div>
      </Menu>
      {asked.value && <asked.value onClose={() => (asked.value = undefined)} />}
    </>
  );
}

/** A link that leads from a fork back to the default world. */
export function BackToDefault() {
  const { api, status } = useApp();
  if (status.value.world === DEFAULT_WORLD) return null;
  return (
    <a class="world-back" href={`${rootOf(api.base)}${location.hash}`}>
      Back to {DEFAULT_WORLD}
    </a>
  );
}
