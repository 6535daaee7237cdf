import type { Settings } from "../config/config.ts";
import { createWorld, type World } from "../world/world.ts";
import { type AnyArea, tablesOf } from "./areas.ts";
import { type SeedPlan, seedBytes } from "./seed.ts";

/** Bytes with what a configuration adds, by the bytes without it, then by the configuration. */
const furnished = new WeakMap<Buffer, Map<string, Buffer>>();

/** The database of a world that begins with a seed, with what the configuration adds. */
export async function freshBytes(
  plan: SeedPlan,
  settings: Settings,
  areas: readonly AnyArea[],
): Promise<Buffer> {
  return withAdditions(await seedBytes(plan, areas), settings, areas);
}

/** The database of a world that begins with these bytes, with what the configuration adds. */
export function withAdditions(bytes: Buffer, settings: Settings, areas: readonly AnyArea[]): Buffer {
  const additions = areas.flatMap((area) => area.additions?.(settings) ?? []);
  if (additions.length === 0) return bytes;
  const made = furnished.get(bytes) ?? new Map<string, Buffer>();
  furnished.set(bytes, made);
  const key = JSON.stringify(settings);
  const found = made.get(key) ?? changed(bytes, areas, additions);
  made.set(key, found);
  return found;
}

/** The bytes of a world after some work in it. Its clock stays where it is. */
function changed(bytes: Buffer, areas: readonly AnyArea[], work: ((world: World) => void)[]): Buffer {
  const world = createWorld({
    name: "beginning",
    seed: "",
    startAt: 0,
    mode: "paused",
    rate: 1,
    bytes,
    tables: tablesOf(areas),
    settleTimeout: 0,
  });
  try {
    for (const add of work) add(world);
    return world.store.serialize();
  } finally {
    world.close();
  }
}
