import type { Settings } from "../config/config.ts";
import { closest } from "../errors/closest.ts";
import { invalidState, notFound, type SandboxError } from "../errors/errors.ts";
import { DEFAULT_WORLD } from "../http/address.ts";
import { wallNow, wallTimer } from "../world/clock.ts";
import { removeWorld } from "../world/files.ts";
import { openSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";

/** If more worlds than this are open, idle ones release their databases' memory. */
const MOST_AWAKE = 32;
/** The maximum number of worlds that an error lists. */
const MOST_NAMED = 20;

export interface OpenWorldsOptions extends Pick<SandboxOptions, "settings" | "place" | "upstream" | "areas"> {
  onOpen?: ((sandbox: Sandbox) => void) | undefined;
}

interface Opening extends Pick<SandboxOptions, "bytes" | "beginning" | "keepsClock" | "clock"> {
  /** Settings that override the server's configuration. */
  differing?: Partial<Settings> | undefined;
  /** Settings that apply only to this world and are not inherited by worlds created through it. */
  chosen?: Partial<Settings>;
}

/** A server's open worlds, by name. Idle worlds release memory and, if so configured, are removed. */
export interface OpenWorlds {
  /** @throws SandboxError like `openSandbox` */
  open(name: string, opening?: Opening): Promise<Sandbox>;
  has(name: string): boolean;
  /** Finds a world, and records that it is being used now. */
  use(name: string): Sandbox | undefined;
  /** Like `use`. @throws SandboxError `not_found` */
  find(name: string): Sandbox;
  differing(name: string): Partial<Settings> | undefined;
  /** Removes a world and its data. @throws SandboxError `not_found`; `invalid_state` for the default world */
  remove(name: string): void;
  names(): string[];
  /** All open worlds, in the order in which they were opened. */
  all(): Sandbox[];
  /** Starts all worlds. From then on, worlds that stay idle for the configured time are removed. */
  start(): void;
  close(): void;
}

export function createOpenWorlds({ settings, place, onOpen, ...shared }: OpenWorldsOptions): OpenWorlds {
  const worlds = new Map<
    string,
    { sandbox: Sandbox; usedAt: number; differing: Partial<Settings> | undefined }
  >();
  let started = false;
  let cancelSweep = () => {};

  /** Suspends the world that has been idle longest if too many worlds are awake. */
  function makeRoom(): void {
    if (worlds.size <= MOST_AWAKE) return;
    const awake = [...worlds.values()].filter(
      ({ sandbox: { world } }) => world.name !== DEFAULT_WORLD && !world.store.resting,
    );
    if (awake.length <= MOST_AWAKE) return;
    awake.reduce((oldest, one) => (one.usedAt < oldest.usedAt ? one : oldest)).sandbox.world.store.rest();
  }

  function use(name: string): Sandbox | undefined {
    const open = worlds.get(name);
    if (!open) return undefined;
    open.usedAt = wallNow();
    if (open.sandbox.world.store.resting) makeRoom();
    return open.sandbox;
  }

  function find(name: string): Sandbox {
    const found = use(name);
    if (found) return found;
    throw unknownWorld(name, [...worlds.keys()]);
  }

  function remove(name: string): void {
    const sandbox = find(name);
    if (name === DEFAULT_WORLD)
      throw invalidState("The default world cannot be closed while the server is running.", {
        command: "Stop the server to close it.",
        library: "reset() restores the default world to its fixtures.",
        http: "POST /_sandbox/reset restores the default world to its fixtures.",
      });
    worlds.delete(name);
    sandbox.close();
    if (settings.dataDir !== undefined) removeWorld(settings.dataDir, name);
  }

  function sweep(idle: number): void {
    const before = wallNow() - idle;
    for (const [name, { usedAt }] of worlds) if (name !== DEFAULT_WORLD && usedAt <= before) remove(name);
    cancelSweep = wallTimer(idle / 4, () => sweep(idle));
  }

  const all = () => [...worlds.values()].map(({ sandbox }) => sandbox);

  return {
    async open(name, { chosen, differing, beginning, ...begin } = {}) {
      const path = name === DEFAULT_WORLD ? "" : `/w/${name}`;
      const sandbox = await openSandbox({
        name,
        settings: { ...settings, ...beginning?.settings, ...differing, ...chosen },
        beginning,
        place: { ...place, url: () => place.url() + path, ownUrl: () => place.ownUrl() + path },
        ...shared,
        ...begin,
      });
      worlds.set(name, { sandbox, usedAt: wallNow(), differing });
      onOpen?.(sandbox);
      makeRoom();
      if (started) sandbox.start();
      return sandbox;
    },
    has: (name) => worlds.has(name),
    use,
    find,
    differing: (name) => worlds.get(name)?.differing,
    remove,
    names: () => [...worlds.keys()],
    all,
    start() {
      started = true;
      for (const sandbox of all()) sandbox.start();
      if (settings.worlds.idle !== undefined) sweep(settings.worlds.idle);
    },
    close() {
      cancelSweep();
      for (const sandbox of all()) sandbox.close();
      worlds.clear();
    },
  };
}

/** The error for an unknown world. @param names the names of the existing worlds */
function unknownWorld(name: string, names: readonly string[]): SandboxError {
  const meant = closest(name, names);
  const listed = names.slice(0, MOST_NAMED).join(", ") + (names.length > MOST_NAMED ? ", …" : "");
  const some = `${meant === undefined ? "" : `Did you mean ${meant}? `}Worlds: ${listed}.`;
  return notFound(`There is no world '${name.slice(0, 100)}'.`, {
    command: `${some} Create one: npx sandglass worlds create <name>`,
    library: `${some} open({ name }) creates one.`,
    http: `${some} POST /_sandbox/worlds creates one.`,
  });
}
