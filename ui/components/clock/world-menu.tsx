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
import { Button, Text } from "../parts.tsx";

/** Which world this is, the way to the others, and a fork of it. */
export function WorldMenu() {
  const { api, status, toasts } = useApp();
  const worlds = useSignal<World[]>([]);
  const { world } = status.value;
  const root = rootOf(api.transport.base);
  /** The same place in another world. */
  const addressOf = (name: string) => `${worldBase(root, name)}${location.hash}`;

  const read = (open: boolean) => {
    if (open)
      void toasts.attempt(async () => {
        worlds.value = await createSnapshotApi(api.transport).worlds();
      });
  };
  const fork = async () => {
    const made = await toasts.attempt(() => createSnapshotApi(api.transport).create({ from: world }));
    if (made) location.assign(addressOf(made.world));
  };

  return (
    <details
      class="world-menu"
      onToggle={({ currentTarget }) => read(currentTarget.open)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) currentTarget.open = false;
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Escape") currentTarget.open = false;
      }}
    >
      <summary class="bar-world">
        world <b class="ellipsis">{world}</b> <Icon name="down" />
      </summary>
      <div class="popover world-list">
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
    </details>
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
