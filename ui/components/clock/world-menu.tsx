import { useSignal } from "@preact/signals";
import {
  createSnapshotApi,
  DEFAULT_WORLD,
  rootOf,
  type World,
  worldBase,
} from "../../models/snapshots/api.ts";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import { Button, Text } from "../parts.tsx";

/** Which world this is, the way to the others, and a fork of it. */
export function WorldMenu() {
  const { api, status, toasts } = useApp();
  const worlds = useSignal<World[]>([]);
  const { world } = status.value;
  const root = rootOf(api.transport.base);
  /** The same place in another world. */
  const addressOf = (name: string) => `${worldBase(root, name)}${location.hash}`;

  const read = () =>
    void toasts.attempt(async () => {
      worlds.value = await createSnapshotApi(api.transport).worlds();
    });
  const fork = async () => {
    const made = await toasts.attempt(() => createSnapshotApi(api.transport).create({ from: world }));
    if (made) location.assign(addressOf(made.world));
  };

  return (
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
      <div class="stack world-list">
        <ul>
          {worlds.value.map(({ name }) => (
            <li key={name}>
              <a href={addressOf(name)} aria-current={name === world ? "page" : undefined}>
                <Text of={name} />
              </a>
            </li>
          ))}
        </ul>
        <Button onSend={fork}>Fork {world}</Button>
        <a href="#/snapshots/worlds">All worlds</a>
      </div>
    </Menu>
  );
}

/** From a fork the way back is one click. */
export function BackToDefault() {
  const { api, status } = useApp();
  if (status.value.world === DEFAULT_WORLD) return null;
  return (
    <a class="world-back" href={`${rootOf(api.transport.base)}${location.hash}`}>
      Back to {DEFAULT_WORLD}
    </a>
  );
}
