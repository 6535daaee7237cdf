import { useSignal } from "@preact/signals";
import {
  createSnapshotApi,
  DEFAULT_WORLD,
  rootOf,
  type World,
  worldBase,
} from "../../models/snapshots/api.ts";
import { createSnapshots } from "../../models/snapshots/snapshots.ts";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";
import { Later } from "../later.tsx";
import { Menu } from "../menu.tsx";
import { Button, Text } from "../parts.tsx";
import { useDialog } from "../use-dialog.ts";

const DIALOGS = {
  save: () => import("./snapshots.tsx").then(({ SaveDialog }) => SaveDialog),
  restore: () => import("./snapshots.tsx").then(({ RestoreDialog }) => RestoreDialog),
  create: () => import("./new-world.tsx").then(({ NewWorldDialog }) => NewWorldDialog),
  addresses: () => import("./addresses.tsx").then(({ Addresses }) => Addresses),
};

/** Which world this is, the way to the others, and what can be done with a whole world. */
export function WorldMenu() {
  const { api, status, toasts } = useApp();
  const worlds = useSignal<World[]>([]);
  const asking = useDialog<keyof typeof DIALOGS>();
  const asked = asking.target.value;
  const { world } = status.value;
  const worldApi = createSnapshotApi(api.transport);
  const root = rootOf(api.transport.base);
  /** The same place in another world. */
  const addressOf = (name: string) => `${worldBase(root, name)}${location.hash}`;

  const read = () =>
    void toasts.attempt(async () => {
      worlds.value = await worldApi.worlds();
    });
  const fork = async () => {
    const made = await toasts.attempt(() => worldApi.create({ from: world }));
    if (made) location.assign(addressOf(made.world));
  };
  const reset = () => toasts.attempt(createSnapshots(worldApi, toasts).reset);

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
          <Button look="quiet" onSend={fork}>
            Fork {world}
          </Button>
          <Button look="quiet" onClick={() => asking.open("create")}>
            New world…
          </Button>
          <Button look="quiet" onClick={() => asking.open("save")}>
            Save…
          </Button>
          <Button look="quiet" onClick={() => asking.open("restore")}>
            Restore…
          </Button>
          <Button look="quiet" onSend={reset}>
            Reset
          </Button>
          <Button look="quiet" onClick={() => asking.open("addresses")}>
            Addresses and keys
          </Button>
        </div>
      </Menu>
      {asked && <Later key={asked} load={DIALOGS[asked]} onClose={asking.close} />}
    </>
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
