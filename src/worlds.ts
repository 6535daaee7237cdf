import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Upstream } from "./chain-data/providers/upstream.ts";
import type { Settings } from "./config.ts";
import { SandboxError } from "./errors.ts";
import { DEFAULT_WORLD } from "./http/server.ts";
import { openSandbox, type Sandbox } from "./sandbox.ts";
import { checkName, createSnapshots, type Snapshots } from "./snapshots.ts";
import { type ClockMode, wallNow, wallTimer } from "./world/clock.ts";

/** Worlds beyond so many let go of their database's memory while nobody uses them. */
const MOST_AWAKE = 32;

/** A world to be made. Contract: "Control API". */
export interface NewWorld {
  /** One is made when none is given. */
  name?: string | undefined;
  /** Fixtures to begin with; the server's seed and start without it. */
  seed?: string | undefined;
  /** Virtual milliseconds at which they begin. */
  startAt?: number | undefined;
  /** A world or a snapshot to go on from instead. */
  from?: string | undefined;
  /** How its clock runs; as the configuration says, or as it ran in what it goes on from, without it. */
  clock?: { mode?: ClockMode | undefined; rate?: number | undefined } | undefined;
}

/** As this process makes one: what differs from the server's configuration, too. */
export interface NewWorldHere extends NewWorld {
  settings?: Partial<Settings>;
}

/** A world, as the control API lists it. */
export interface WorldView {
  name: string;
  url: string;
  seed: string;
  clock: { mode: ClockMode; rate: number; now: string };
}

export interface WorldsOptions {
  settings: Settings;
  /** Where the server answers, without a trailing slash. */
  origin: () => string;
  upstream: Upstream;
}

/** The worlds of a server: isolated sandboxes side by side, by name. Contract: "Addresses and transport". */
export type Worlds = Awaited<ReturnType<typeof openWorlds>>;

/**
 * Opens the default world, and those that a data folder keeps.
 * @throws SandboxError `invalid_state` when the data folder cannot be used
 */
export async function openWorlds({ settings, origin, upstream }: WorldsOptions) {
  const worlds = new Map<string, Sandbox>();
  const making = new Set<string>();
  const lastUsed = new Map<string, number>();
  const snapshots: Snapshots = createSnapshots(settings.dataDir);
  let started = false;
  let cancelSweep = () => {};

  async function open(name: string, chosen: Partial<Settings> = {}, bytes?: Buffer): Promise<Sandbox> {
    const path = name === DEFAULT_WORLD ? "" : `/w/${name}`;
    const sandbox = await openSandbox({
      name,
      settings: { ...settings, ...chosen },
      origin: () => origin() + path,
      upstream,
      bytes,
    });
    worlds.set(name, sandbox);
    lastUsed.set(name, wallNow());
    makeRoom();
    if (started) sandbox.start();
    return sandbox;
  }

  const main = await open(DEFAULT_WORLD);
  try {
    for (const name of keptIn(settings.dataDir)) if (!worlds.has(name)) await open(name);
  } catch (error) {
    for (const sandbox of worlds.values()) sandbox.close();
    throw error;
  }

  function known(name: string): Sandbox | undefined {
    const sandbox = worlds.get(name);
    if (!sandbox) return undefined;
    lastUsed.set(name, wallNow());
    if (sandbox.world.store.resting) makeRoom();
    return sandbox;
  }

  /** Lets the world rest that was not used for longest, when too many are awake. */
  function makeRoom(): void {
    if (worlds.size <= MOST_AWAKE) return;
    const awake = [...worlds.values()].filter((one) => one !== main && !one.world.store.resting);
    if (awake.length <= MOST_AWAKE) return;
    const used = ({ world }: Sandbox) => lastUsed.get(world.name)!;
    awake.reduce((oldest, one) => (used(one) < used(oldest) ? one : oldest)).world.store.rest();
  }

  function find(name: string): Sandbox {
    const found = known(name);
    if (found) return found;
    const some = [...worlds.keys()].slice(0, 20).join(", ");
    throw new SandboxError(
      "not_found",
      `There is no world '${name.slice(0, 100)}'.`,
      `Worlds: ${some}${worlds.size > 20 ? ", …" : ""}. POST /_sandbox/worlds makes one.`,
    );
  }

  /** What a new world goes on from. */
  async function originOf(from: string): Promise<Buffer> {
    if (worlds.has(from)) return find(from).snapshot();
    if (snapshots.has(from)) return snapshots.bytesOf(from);
    throw new SandboxError(
      "not_found",
      `There is neither a world nor a snapshot '${from.slice(0, 100)}' to go on from.`,
      "GET /_sandbox/worlds and GET /_sandbox/snapshots list them.",
    );
  }

  function freeName(): string {
    let number = worlds.size;
    while (worlds.has(`world-${number}`) || making.has(`world-${number}`)) number += 1;
    return `world-${number}`;
  }

  async function create(world: NewWorldHere): Promise<Sandbox> {
    const { name = freeName(), seed, startAt, from, clock, settings: differing } = world;
    checkName("world", name);
    if (worlds.has(name) || making.has(name))
      throw new SandboxError(
        "conflict",
        `There is a world '${name}' already.`,
        `Choose another name, or end it with DELETE /_sandbox/worlds/${name}.`,
      );
    if (from !== undefined && (seed !== undefined || startAt !== undefined))
      throw new SandboxError(
        "bad_request",
        "A world goes on from another or begins with a seed, not both.",
        "Leave out from, or seed and startAt.",
      );
    making.add(name);
    try {
      const bytes = from === undefined ? undefined : await originOf(from);
      const sandbox = await open(
        name,
        {
          ...differing,
          ...(seed === undefined ? {} : { seed }),
          ...(startAt === undefined ? {} : { startAt }),
        },
        bytes,
      );
      if (clock) await sandbox.setClock(given(clock));
      return sandbox;
    } catch (error) {
      if (worlds.has(name)) remove(name);
      throw error;
    } finally {
      making.delete(name);
    }
  }

  function remove(name: string): void {
    const sandbox = find(name);
    if (name === DEFAULT_WORLD)
      throw new SandboxError(
        "invalid_state",
        "The default world cannot be ended while the server runs.",
        "POST /_sandbox/reset takes it back to its fixtures.",
      );
    worlds.delete(name);
    lastUsed.delete(name);
    sandbox.close();
    if (settings.dataDir !== undefined)
      for (const suffix of ["", "-wal", "-shm"])
        rmSync(join(settings.dataDir, `${name}.db${suffix}`), { force: true });
  }

  /** Ends worlds that nobody has asked anything of for the configured time. */
  function sweep(idle: number): void {
    const before = wallNow() - idle;
    for (const [name, at] of lastUsed) if (name !== DEFAULT_WORLD && at <= before) remove(name);
    cancelSweep = wallTimer(idle / 4, () => sweep(idle));
  }

  return {
    main,
    snapshots,
    known,
    find,
    create,
    remove,

    names: (): string[] => [...worlds.keys()],

    list: (): WorldView[] =>
      [...worlds.values()].map((sandbox) => {
        const { world: name, url, seed, clock } = sandbox.status();
        return { name, url, seed, clock };
      }),

    /** Lets all of them move. */
    start(): void {
      started = true;
      for (const sandbox of worlds.values()) sandbox.start();
      if (settings.worlds.idle !== undefined) sweep(settings.worlds.idle);
    },

    close(): void {
      cancelSweep();
      for (const sandbox of worlds.values()) sandbox.close();
      worlds.clear();
    },
  };
}

/** The worlds whose databases a data folder has. */
function keptIn(folder: string | undefined): string[] {
  if (folder === undefined) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".db"))
    .map((file) => file.slice(0, -".db".length));
}

function given({ mode, rate }: NonNullable<NewWorld["clock"]>): { mode?: ClockMode; rate?: number } {
  return { ...(mode === undefined ? {} : { mode }), ...(rate === undefined ? {} : { rate }) };
}
