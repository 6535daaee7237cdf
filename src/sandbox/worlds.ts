import { conflict, misuse, SandboxError } from "../errors/errors.ts";
import { DEFAULT_WORLD } from "../http/address.ts";
import type { UnopenedWorld, World } from "../operations/worlds.ts";
import { unlessThrown } from "../runtime/unless-thrown.ts";
import { checkPace } from "../world/clock.ts";
import { holdsData, isDamage } from "../world/database.ts";
import { finishReplacements, removeWorld, setAside, worldFile, worldsIn } from "../world/files.ts";
import { type Beginnings, beginningFor, type NewWorld } from "./beginnings.ts";
import { inTurn } from "./heavy.ts";
import { createOpenWorlds, type OpenWorlds, type OpenWorldsOptions } from "./open-worlds.ts";
import type { Sandbox } from "./sandbox.ts";
import { checkName, createSnapshots, type Snapshots } from "./snapshots.ts";

export interface WorldsOptions extends OpenWorldsOptions {
  beginnings: Beginnings;
  /** The state that the default world starts from, whatever the settings say. */
  base?: Buffer | undefined;
}

/** A server's worlds: sandboxes that are isolated from each other, by name. See docs/guide/worlds.md. */
export interface Worlds
  extends Pick<OpenWorlds, "has" | "use" | "find" | "remove" | "names" | "start" | "close"> {
  main: Sandbox;
  snapshots: Snapshots;
  /**
   * @throws SandboxError `bad_request`; `conflict` if the name is taken; also if the state to start from cannot be
   * found
   */
  create(world: NewWorld): Promise<Sandbox>;
  /** Worlds in the data folder that could not be opened. */
  unopened: readonly UnopenedWorld[];
  list(): World[];
}

/**
 * Opens the default world and those in a data folder. A world with damaged data is set aside and does not affect the
 * others. If the default world is damaged, it starts over.
 * @throws SandboxError `invalid_state` if the data folder cannot be used
 */
export async function openWorlds(options: WorldsOptions): Promise<Worlds> {
  const { settings, areas, beginnings, base } = options;
  const worlds = createOpenWorlds(options);
  const making = new Set<string>();
  const unopened: UnopenedWorld[] = [];
  const snapshots: Snapshots = createSnapshots(settings.dataDir, areas, settings.worlds.snapshotMemory);

  /** The state that this server's worlds start from by default. */
  const begins = base
    ? { bytes: base, settings: {} }
    : settings.from && (await beginnings.find(settings.from, "machine"));
  if (settings.dataDir !== undefined) finishReplacements(settings.dataDir);
  const openMain = () => worlds.open(DEFAULT_WORLD, { beginning: begins });
  const main = await openMain().catch((error) => {
    if (!isDamage(error)) throw error;
    unopened.push(leaveOut(settings.dataDir!, DEFAULT_WORLD, error));
    return openMain();
  });
  try {
    if (settings.dataDir !== undefined) unopened.push(...(await openOthers(worlds, settings.dataDir)));
    for (const { name: world, ...rest } of unopened)
      main.journal.append("world.not_opened", { world, ...rest });
  } catch (error) {
    worlds.close();
    throw error;
  }

  /** The world or snapshot to copy, if `from` is the name of one. */
  async function copyOf(from: string): Promise<Buffer | undefined> {
    if (worlds.has(from)) return worlds.find(from).snapshot();
    return (await snapshots.has(from)) ? snapshots.bytesOf(from) : undefined;
  }

  /** The names of worlds and snapshots that can be copied. */
  const names = async () => [...worlds.names(), ...(await snapshots.list()).map((one) => one.name)];

  function freeName(): string {
    let number = worlds.names().length;
    while (isTaken(`world-${number}`)) number += 1;
    return `world-${number}`;
  }

  const isOpen = (name: string): boolean => worlds.has(name) || making.has(name);
  const isTaken = (name: string): boolean =>
    isOpen(name) || (settings.dataDir !== undefined && hasFile(settings.dataDir, name));

  async function create(world: NewWorld): Promise<Sandbox> {
    const { name = freeName(), seed, startAt, from, clock, through = DEFAULT_WORLD } = world;
    const like = from !== undefined && worlds.has(from) ? from : through;
    const { settings: differing = worlds.differing(like) } = world;
    checkName("world", name);
    if (clock) checkPace(clock);
    if (isTaken(name)) throw nameTaken(name, isOpen(name) ? undefined : worldFile(settings.dataDir!, name));
    making.add(name);
    try {
      const bytes = from === undefined ? undefined : await copyOf(from);
      if (bytes && (seed !== undefined || startAt !== undefined))
        throw misuse(
          "A world starts as a copy of another or from a seed, not both.",
          "Omit from, or omit seed and startAt.",
        );
      const beginning = bytes
        ? undefined
        : await beginningFor({ ...world, settings: differing }, begins, beginnings, await names());
      const chosen = {
        ...(seed !== undefined && { seed, areSendersAlone: false }),
        ...(startAt !== undefined && { startAt }),
      };
      const keepsClock = from !== undefined && (bytes !== undefined || beginning?.isSnapshot === true);
      return await inTurn(() =>
        worlds.open(name, { chosen, differing, bytes, beginning, keepsClock, clock }),
      );
    } catch (error) {
      if (worlds.has(name)) worlds.remove(name);
      else if (settings.dataDir !== undefined) removeWorld(settings.dataDir, name);
      throw error;
    } finally {
      making.delete(name);
    }
  }

  return {
    ...worlds,
    main,
    snapshots,
    create,
    unopened,
    list: () => worlds.all().map((sandbox) => sandbox.view()),
  };
}

/**
 * Opens the worlds in a data folder.
 * @returns those that could not be opened
 */
async function openOthers(worlds: OpenWorlds, folder: string): Promise<UnopenedWorld[]> {
  const unopened: UnopenedWorld[] = [];
  for (const name of worldsIn(folder)) {
    if (worlds.has(name)) continue;
    try {
      if (holdsData(worldFile(folder, name))) await worlds.open(name);
      // The file is empty because the process was killed before it wrote any rows.
      else removeWorld(folder, name);
    } catch (error) {
      unopened.push(leaveOut(folder, name, error));
    }
  }
  return unopened;
}

/** Continues without a world that cannot be opened. Its file is renamed only if its data is damaged. */
function leaveOut(folder: string, name: string, error: unknown): UnopenedWorld {
  if (!isDamage(error) && !(error instanceof SandboxError)) console.error(error);
  const path = isDamage(error) ? setAside(folder, name) : worldFile(folder, name);
  return { name, problem: (error as Error).message, kept_as: path };
}

/**
 * Whether the data folder contains an unopened world of this name, because it could not be opened or was added later.
 */
const hasFile = (folder: string, name: string): boolean =>
  unlessThrown(() => holdsData(worldFile(folder, name))) ?? true;

/** @param file the file of a world that is not open */
function nameTaken(name: string, file: string | undefined): SandboxError {
  const moved = file && `Choose another name, or move ${file} away: it is not open.`;
  return conflict(
    `A world named '${name}' already exists.`,
    moved ?? {
      command: "Choose another name.",
      library: "Choose another name, or close() that world first.",
      http: `Choose another name, or end it with DELETE /_sandbox/worlds/${name}.`,
    },
  );
}
