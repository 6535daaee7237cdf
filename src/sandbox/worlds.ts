import type { Upstream } from "../chain-data/providers/upstream.ts";
import type { Settings } from "../config/config.ts";
import { closest } from "../errors/closest.ts";
import { conflict, invalidState, misuse, notFound, SandboxError } from "../errors/errors.ts";
import { DEFAULT_WORLD } from "../http/address.ts";
import type { UnopenedWorld, World } from "../operations/worlds.ts";
import { checkPace, wallNow, wallTimer } from "../world/clock.ts";
import { holdsData, isDamage } from "../world/database.ts";
import { finishReplacements, removeWorld, setAside, worldFile, worldsIn } from "../world/files.ts";
import type { AnyArea } from "./areas.ts";
import { type Beginning, type Beginnings, beginningFor, type NewWorld } from "./beginnings.ts";
import { inTurn } from "./heavy.ts";
import { openSandbox, type Place, type Sandbox } from "./sandbox.ts";
import { checkName, createSnapshots, type Snapshots } from "./snapshots.ts";

/** Worlds beyond this number release their database's memory while they are idle. */
const MOST_AWAKE = 32;
/** The most worlds that an error names. */
const MOST_NAMED = 20;

export interface WorldsOptions {
  settings: Settings;
  place: Place;
  upstream: Upstream;
  areas: readonly AnyArea[];
  /** Called with each opened world. */
  onOpen?: ((sandbox: Sandbox) => void) | undefined;
  beginnings: Beginnings;
  /** The beginning of the default world, whatever the settings say. */
  base?: Buffer | undefined;
}

/** The worlds of a server: isolated sandboxes side by side, by name. See docs/guide/worlds.md. */
export interface Worlds {
  main: Sandbox;
  snapshots: Snapshots;
  openWorld(name: string): Sandbox | undefined;
  /** @throws SandboxError `not_found` */
  find(name: string): Sandbox;
  /** @throws SandboxError `bad_request`; `conflict` if there is a world of this name; and as finding a beginning does */
  create(world: NewWorld): Promise<Sandbox>;
  /** Ends a world and deletes its data. @throws SandboxError `not_found`; `invalid_state` for the default world */
  remove(name: string): void;
  /** Worlds of the data folder that could not be opened. */
  unopened: readonly UnopenedWorld[];
  names(): string[];
  list(): World[];
  /** Starts all of them, and from then on ends those that are idle for as long as the configuration says. */
  start(): void;
  close(): void;
}

interface OpenWorld {
  sandbox: Sandbox;
  usedAt: number;
  /** Differences from the server's configuration. */
  differing: Partial<Settings> | undefined;
}

/**
 * Opens the default world, and those of a data folder. A world with damaged data is set aside, and delays no other; a default
 * world then begins again.
 * @throws SandboxError `invalid_state` if the data folder cannot be used
 */
export async function openWorlds(options: WorldsOptions): Promise<Worlds> {
  const { settings, place, upstream, areas, beginnings, base, onOpen } = options;
  const worlds = new Map<string, OpenWorld>();
  const making = new Set<string>();
  const unopened: UnopenedWorld[] = [];
  const snapshots: Snapshots = createSnapshots(settings.dataDir, areas, settings.worlds.snapshotMemory);
  let started = false;
  let cancelSweep = () => {};

  interface Opening {
    chosen?: Partial<Settings>;
    differing?: Partial<Settings> | undefined;
    bytes?: Buffer | undefined;
    beginning?: Beginning | undefined;
    keepsClock?: boolean;
    clock?: NewWorld["clock"];
  }

  async function open(
    name: string,
    { chosen, differing, beginning, ...begin }: Opening = {},
  ): Promise<Sandbox> {
    const path = name === DEFAULT_WORLD ? "" : `/w/${name}`;
    const sandbox = await openSandbox({
      name,
      settings: { ...settings, ...beginning?.settings, ...differing, ...chosen },
      beginning,
      place: { ...place, url: () => place.url() + path, ownUrl: () => place.ownUrl() + path },
      upstream,
      areas,
      ...begin,
    });
    worlds.set(name, { sandbox, usedAt: wallNow(), differing });
    onOpen?.(sandbox);
    makeRoom();
    if (started) sandbox.start();
    return sandbox;
  }

  const openMain = (): Promise<Sandbox> =>
    open(DEFAULT_WORLD, { beginning: begins }).catch((error) => {
      if (!isDamage(error)) throw error;
      leaveOut(DEFAULT_WORLD, error);
      return open(DEFAULT_WORLD, { beginning: begins });
    });

  async function openOthers(folder: string): Promise<void> {
    for (const name of worldsIn(folder)) {
      if (worlds.has(name)) continue;
      try {
        if (holdsData(worldFile(folder, name))) await open(name);
        // A kill came before the file had any rows.
        else removeWorld(folder, name);
      } catch (error) {
        leaveOut(name, error);
      }
    }
  }

  /** Continues without a world that cannot be opened; its file gets another name only if its data is damaged. */
  function leaveOut(name: string, error: unknown): void {
    const folder = settings.dataDir!;
    if (!isDamage(error) && !(error instanceof SandboxError)) console.error(error);
    const path = isDamage(error) ? setAside(folder, name) : worldFile(folder, name);
    unopened.push({ name, problem: (error as Error).message, kept_as: path });
  }

  /** The default beginning of this server's worlds. */
  const begins = base
    ? { bytes: base, settings: {} }
    : settings.from && (await beginnings.find(settings.from, "machine"));
  if (settings.dataDir !== undefined) finishReplacements(settings.dataDir);
  const main = await openMain();
  try {
    if (settings.dataDir !== undefined) await openOthers(settings.dataDir);
    for (const { name: world, ...rest } of unopened)
      main.journal.append("world.not_opened", { world, ...rest });
  } catch (error) {
    for (const { sandbox } of worlds.values()) sandbox.close();
    throw error;
  }

  function openWorld(name: string): Sandbox | undefined {
    const open = worlds.get(name);
    if (!open) return undefined;
    open.usedAt = wallNow();
    if (open.sandbox.world.store.resting) makeRoom();
    return open.sandbox;
  }

  /** Puts the world that was idle longest to rest if too many are awake. */
  function makeRoom(): void {
    if (worlds.size <= MOST_AWAKE) return;
    const awake = [...worlds.values()].filter(
      ({ sandbox }) => sandbox !== main && !sandbox.world.store.resting,
    );
    if (awake.length <= MOST_AWAKE) return;
    awake.reduce((oldest, one) => (one.usedAt < oldest.usedAt ? one : oldest)).sandbox.world.store.rest();
  }

  function find(name: string): Sandbox {
    const found = openWorld(name);
    if (found) return found;
    throw unknownWorld(name, [...worlds.keys()]);
  }

  /** The world or snapshot that `from` names for a copy, if any. */
  async function copyOf(from: string): Promise<Buffer | undefined> {
    if (worlds.has(from)) return find(from).snapshot();
    return (await snapshots.has(from)) ? snapshots.bytesOf(from) : undefined;
  }

  /** The names of worlds and snapshots that can be copied. */
  const names = async () => [...worlds.keys(), ...(await snapshots.list()).map((one) => one.name)];

  function freeName(): string {
    let number = worlds.size;
    while (isTaken(`world-${number}`)) number += 1;
    return `world-${number}`;
  }

  const isOpen = (name: string): boolean => worlds.has(name) || making.has(name);
  const isTaken = (name: string): boolean =>
    isOpen(name) || (settings.dataDir !== undefined && hasFile(settings.dataDir, name));

  async function create(world: NewWorld): Promise<Sandbox> {
    const { name = freeName(), seed, startAt, from, clock, through = DEFAULT_WORLD } = world;
    const like = from !== undefined && worlds.has(from) ? from : through;
    const { settings: differing = worlds.get(like)?.differing } = world;
    checkName("world", name);
    if (clock) checkPace(clock);
    if (isTaken(name)) throw nameTaken(name, isOpen(name) ? undefined : worldFile(settings.dataDir!, name));
    making.add(name);
    try {
      const bytes = from === undefined ? undefined : await copyOf(from);
      if (bytes && (seed !== undefined || startAt !== undefined))
        throw misuse(
          "A world goes on from another or begins with a seed, not both.",
          "Leave out from, or seed and startAt.",
        );
      const beginning = bytes
        ? undefined
        : await beginningFor({ ...world, settings: differing }, begins, beginnings, await names());
      const chosen = { ...(seed !== undefined && { seed }), ...(startAt !== undefined && { startAt }) };
      const keepsClock = from !== undefined && (bytes !== undefined || beginning?.isSnapshot === true);
      return await inTurn(() => open(name, { chosen, differing, bytes, beginning, keepsClock, clock }));
    } catch (error) {
      if (worlds.has(name)) remove(name);
      else if (settings.dataDir !== undefined) removeWorld(settings.dataDir, name);
      throw error;
    } finally {
      making.delete(name);
    }
  }

  function remove(name: string): void {
    const sandbox = find(name);
    if (name === DEFAULT_WORLD)
      throw invalidState("The default world cannot be ended while the server runs.", {
        command: "Stop the server to end it.",
        library: "reset() takes it back to its fixtures.",
        http: "POST /_sandbox/reset takes it back to its fixtures.",
      });
    worlds.delete(name);
    sandbox.close();
    if (settings.dataDir !== undefined) removeWorld(settings.dataDir, name);
  }

  /** Ends worlds that have been idle for the configured time. */
  function sweep(idle: number): void {
    const before = wallNow() - idle;
    for (const [name, { usedAt }] of worlds) if (name !== DEFAULT_WORLD && usedAt <= before) remove(name);
    cancelSweep = wallTimer(idle / 4, () => sweep(idle));
  }

  return {
    main,
    snapshots,
    openWorld,
    find,
    create,
    remove,
    unopened,
    names: () => [...worlds.keys()],
    list: () => [...worlds.values()].map(({ sandbox }) => sandbox.view()),

    start() {
      started = true;
      for (const { sandbox } of worlds.values()) sandbox.start();
      if (settings.worlds.idle !== undefined) sweep(settings.worlds.idle);
    },

    close() {
      cancelSweep();
      for (const { sandbox } of worlds.values()) sandbox.close();
      worlds.clear();
    },
  };
}

/** Whether the data folder has a world of this name that is not open: it could not be opened, or was added since. */
function hasFile(folder: string, name: string): boolean {
  try {
    return holdsData(worldFile(folder, name));
  } catch {
    return true;
  }
}

/** @param file of a world that is not open */
function nameTaken(name: string, file: string | undefined): SandboxError {
  const moved = file && `Choose another name, or move ${file} away: it is not open.`;
  return conflict(
    `There is a world '${name}' already.`,
    moved ?? {
      command: "Choose another name.",
      library: "Choose another name, or close() that world first.",
      http: `Choose another name, or end it with DELETE /_sandbox/worlds/${name}.`,
    },
  );
}

/** The error for a world that does not exist. @param names of the existing worlds */
function unknownWorld(name: string, names: readonly string[]): SandboxError {
  const meant = closest(name, names);
  const listed = names.slice(0, MOST_NAMED).join(", ") + (names.length > MOST_NAMED ? ", …" : "");
  const some = `${meant === undefined ? "" : `Did you mean ${meant}? `}Worlds: ${listed}.`;
  return notFound(`There is no world '${name.slice(0, 100)}'.`, {
    command: `${some} Create one: npx sandglass worlds create <name>`,
    library: `${some} open({ name }) makes one.`,
    http: `${some} POST /_sandbox/worlds makes one.`,
  });
}
