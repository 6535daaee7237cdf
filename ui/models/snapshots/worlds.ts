import { computed, createModel, effect, signal } from "@preact/signals";
import type { Status } from "../../api-types.ts";
import type { Machine } from "../clock.ts";
import { toMs } from "../format.ts";
import { createReading } from "../reading.ts";
import type { Toasts } from "../toasts.ts";
import { type NewWorld, rootOf, type SnapshotApi, type World, worldBase } from "./api.ts";
import { lastName } from "./snapshots.ts";

const TICK_MS = 1_000;

export type Worlds = InstanceType<typeof Worlds>;

/** The worlds of the server, with their clocks as they go on. */
export const Worlds = createModel((api: SnapshotApi, toasts: Toasts, machine: Machine, base: string) => {
  const root = rootOf(base);
  const now = signal(machine.now());
  const list = createReading(async () => ({ worlds: await api.worlds(), at: machine.now() }));
  effect(() => machine.every(TICK_MS, () => (now.value = machine.now())));

  return {
    list,
    hrefOf: (name: string): string => worldBase(root, name),
    /** Real milliseconds since the list was read. */
    since: computed(() => Math.max(0, now.value - (list.value.value?.at ?? now.value))),

    /** @throws ApiError */
    async create(world: NewWorld): Promise<Status> {
      const made = await api.create(world);
      await list.read();
      toasts.done(`The world ${made.world} is there.`);
      return made;
    },

    /** It is kept first, so that it can go on. @throws ApiError */
    async end(name: string): Promise<void> {
      const snapshot = lastName(name);
      await api.saveWorld(root, name, snapshot);
      await api.end(name);
      await list.read();
      toasts.done(`The world ${name} has ended. Its last state is the snapshot ${snapshot}.`, async () => {
        await api.create({ name, from: snapshot });
        await list.read();
      });
    },
  };
});

/**
 * What another world's clock shows now, as far as it is known: it goes on at its rate from when it was read.
 * @param since real milliseconds since it was read
 */
export function worldNow({ clock: { mode, rate, now } }: World, since: number): number {
  return toMs(now) + (mode === "paused" ? 0 : since * rate);
}

/** `paused`, `live`, `60 times real time`. */
export function modeWords({ clock: { mode, rate } }: World): string {
  return mode === "scaled" ? `${rate} times real time` : mode;
}
