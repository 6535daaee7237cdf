import { existsSync, readdirSync, rmSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { diskFull, meansDiskFull } from "../errors/disk-full.ts";
import { invalidState, misuse, notFound, SandboxError } from "../errors/errors.ts";
import { reasonOf } from "../errors/file-error.ts";
import type { Snapshot } from "../operations/worlds.ts";
import { makePrivateFolder } from "../runtime/private-files.ts";
import type { SnapshotInfo } from "../world/snapshot.ts";
import type { AnyArea } from "./areas.ts";
import { inTurn } from "./heavy.ts";

/** The pattern for world and snapshot names, which appear in paths and file names. */
const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const EXTENSION = ".sandglass";

/** Validates a name. @throws SandboxError `bad_request` */
export function checkName(what: "world" | "snapshot", name: string): string {
  if (NAME_PATTERN.test(name)) return name;
  throw misuse(
    `'${name.slice(0, 80)}' is not a valid ${what} name.`,
    "Use 1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit.",
  );
}

export interface Captured extends SnapshotInfo {
  bytes: Buffer;
}

interface Saved {
  /** Returns the snapshot's bytes, either from its file or from memory. */
  bytes: () => Promise<Buffer>;
  view: Snapshot;
}

const MIB = 1024 * 1024;

/**
 * A server's snapshots by name, shared by all its worlds. Saving a snapshot replaces an existing one with the same
 * name. See docs/guide/worlds.md, "Snapshots".
 */
export interface Snapshots {
  has(name: string): Promise<boolean>;
  /** @throws SandboxError `not_found`, `bad_request` for an unusable snapshot */
  bytesOf(name: string): Promise<Buffer>;
  /**
   * Stores a snapshot, by default under a new name. @throws SandboxError `bad_request` for an invalid name;
   * `invalid_state` if there is not enough memory or disk space
   */
  save(name: string | undefined, captured: Captured): Promise<Snapshot>;
  /**
   * Verifies and stores a snapshot. @throws SandboxError like `save`; `bad_request` also for bytes that are not a
   * snapshot of this version
   */
  accept(name: string, bytes: Buffer): Promise<Snapshot>;
  /** @throws SandboxError `not_found` */
  remove(name: string): Promise<void>;
  /** The snapshots in the order in which they were saved. */
  list(): Promise<Snapshot[]>;
}

/**
 * @param dataDir a folder that keeps them after the process exits; without it, they are kept in memory
 * @param areas the areas of this server's worlds
 * @param memory the limit for all snapshots together, in MiB
 */
export function createSnapshots(
  dataDir: string | undefined,
  areas: readonly AnyArea[],
  memory: number,
): Snapshots {
  const folder = dataDir === undefined ? undefined : join(dataDir, "snapshots");
  const load = async () => new Map(folder === undefined ? [] : await savedIn(folder, areas));
  let loading: Promise<Map<string, Saved>> | undefined;
  const saved = (): Promise<Map<string, Saved>> => (loading ??= load());

  const fileOf = (name: string) => join(folder!, name + EXTENSION);

  async function find(name: string): Promise<Saved> {
    const all = await saved();
    const found = all.get(name);
    if (found) return found;
    const names = [...all.keys()];
    throw notFound(
      `There is no snapshot '${name.slice(0, 80)}'.`,
      names.length > 0
        ? `Snapshots: ${names.join(", ")}.`
        : {
            command: "Save one: npx sandglass snapshot save <name>",
            library: "snapshot(name) saves one.",
            http: "POST /_sandbox/snapshots saves one.",
            page: "Save one under Snapshots.",
          },
    );
  }

  async function freeName(): Promise<string> {
    const all = await saved();
    let number = all.size + 1;
    while (all.has(`snapshot-${number}`)) number += 1;
    return `snapshot-${number}`;
  }

  async function keep(name: string, { bytes, ...info }: Captured): Promise<Snapshot> {
    const all = await saved();
    const view: Snapshot = {
      name,
      ...info,
      bytes: bytes.length,
      problem: null,
      durable: folder !== undefined,
    };
    if (folder === undefined) {
      const others = [...all.values()].filter(({ view }) => view.name !== name);
      checkRoom(memory, others, name, bytes.length);
      all.set(name, { bytes: async () => bytes, view });
    } else {
      await write(folder, fileOf(name), bytes);
      all.set(name, { bytes: () => readFile(fileOf(name)), view });
    }
    return view;
  }

  return {
    has: async (name) => (await saved()).has(name),

    async bytesOf(name) {
      const { bytes, view } = await find(name);
      if (view.problem === null) return bytes();
      throw misuse(view.problem, {
        command: `Remove it: npx sandglass snapshot delete ${name}`,
        library: "Save another snapshot under its name.",
        http: `Remove it with DELETE /_sandbox/snapshots/${name}, or save another under its name.`,
      });
    },

    save: (name, captured) =>
      inTurn(async () => keep(checkName("snapshot", name ?? (await freeName())), captured)),

    accept: (name, bytes) =>
      inTurn(async () => {
        checkName("snapshot", name);
        const { inspect } = await import("./in-thread.ts");
        return keep(name, await inspect(bytes, areas, name));
      }),

    async remove(name) {
      await find(name);
      (await saved()).delete(name);
      if (folder !== undefined) rmSync(fileOf(name), { force: true, recursive: true });
    },

    list: async () => [...(await saved()).values()].map(({ view }) => view),
  };
}

/** @throws SandboxError `invalid_state` if the snapshots together would take too much memory */
function checkRoom(memory: number, others: readonly Saved[], name: string, bytes: number): void {
  const all = others.reduce((sum, { view }) => sum + view.bytes, bytes);
  if (all <= memory * MIB) return;
  const inMib = (size: number) => Math.ceil(size / MIB);
  const byFlag = "start with --data-dir to store them as files";
  const ways = (remove: string, store: string) =>
    `Delete others${remove}, raise worlds.snapshotMemory in the configuration, or ${store}.`;
  throw invalidState(
    `The snapshot ${name} takes ${inMib(bytes)} MiB. With the others in memory (${others.length}), that is ${inMib(all)} MiB; the limit is ${memory} MiB.`,
    {
      command: ways(": npx sandglass snapshot delete <name>", byFlag),
      library: ways("", "start the sandbox with dataDir to store them as files"),
      http: ways(" with DELETE /_sandbox/snapshots/{name}", byFlag),
      page: ways("", byFlag),
    },
  );
}

/** Writes a file atomically: if the process is killed, the previous file is intact. */
async function write(folder: string, file: string, bytes: Buffer): Promise<void> {
  const part = `${file}.part`;
  try {
    makePrivateFolder(folder, /(?:)/);
    // Create a new file, because the path may be a link.
    await rm(part, { force: true });
    await writeFile(part, bytes, { mode: 0o600, flag: "wx" });
    await rename(part, file);
  } catch (error) {
    if (meansDiskFull(error)) {
      rmSync(part, { force: true });
      throw diskFull(file);
    }
    throw invalidState(
      `The snapshot cannot be saved in ${folder}: ${reasonOf(error)}.`,
      "Make the data folder writable.",
    );
  }
}

async function savedIn(folder: string, areas: readonly AnyArea[]): Promise<[string, Saved][]> {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(EXTENSION));
  const found: [string, Saved][] = [];
  // Read one file at a time, because each is loaded into memory completely.
  for (const file of files.sort()) {
    const name = file.slice(0, -EXTENSION.length);
    found.push([name, await check(name, join(folder, file), areas)]);
  }
  return found;
}

/** Checks a snapshot's file. A snapshot that cannot be used is listed with the reason. */
async function check(name: string, file: string, areas: readonly AnyArea[]): Promise<Saved> {
  const view = { name, seed: null, now: null, bytes: 0, problem: null, durable: true };
  try {
    const content = await readFile(file);
    const { inspect } = await import("./in-thread.ts");
    view.bytes = content.length;
    const { bytes: _, ...info } = await inspect(content, areas, name);
    return { bytes: () => readFile(file), view: { ...view, ...info } };
  } catch (error) {
    const unreadable = `Cannot read the snapshot ${name}: ${reasonOf(error)}.`;
    const problem = error instanceof SandboxError ? error.message : unreadable;
    return { bytes: () => readFile(file), view: { ...view, problem } };
  }
}
