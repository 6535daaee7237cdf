import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { diskFull, meansDiskFull } from "../errors/disk-full.ts";
import { SandboxError } from "../errors/errors.ts";
import { makePrivateFolder, writePrivateFile } from "../runtime/private-files.ts";
import { inspectSnapshot, type SnapshotInfo, type WorldForm } from "../world/snapshot.ts";

/** A whole world as it was at an instant: data, clock, timers, chance and faults. */
export interface SnapshotView {
  name: string;
  /** What its world was seeded with, and the virtual instant at which it goes on; null when it cannot be used. */
  seed: string | null;
  now: string | null;
  bytes: number;
  /** Why it cannot be used. */
  problem: string | null;
  /** Whether it is in a data folder, so that it outlives the server's process. */
  durable: boolean;
}

/** Names of worlds and snapshots: they are parts of paths and names of files. */
const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const EXTENSION = ".sandglass";

/** @throws SandboxError `bad_request` */
export function checkName(what: "world" | "snapshot", name: string): string {
  if (NAME_PATTERN.test(name)) return name;
  throw new SandboxError(
    "bad_request",
    `'${name.slice(0, 80)}' cannot name a ${what}.`,
    "Use 1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit.",
  );
}

/** A world's bytes, and what they are of. */
export interface Captured extends SnapshotInfo {
  bytes: Buffer;
}

interface Saved {
  /** Reads it from its file, or gives it from memory. */
  bytes: () => Buffer;
  view: SnapshotView;
}

const MIB = 1024 * 1024;

export type Snapshots = ReturnType<typeof createSnapshots>;

/**
 * Snapshots by name, for all worlds of a server.
 * @param dataDir keeps them beyond the process, in a folder of their own; without it they are in memory
 * @param form what the worlds of this server consist of
 * @param memory how many MiB all of them may take in memory
 */
export function createSnapshots(dataDir: string | undefined, form: WorldForm, memory: () => number) {
  const folder = dataDir === undefined ? undefined : join(dataDir, "snapshots");
  let loaded: Map<string, Saved> | undefined;

  function saved(): Map<string, Saved> {
    loaded ??= new Map(folder === undefined ? [] : savedIn(folder, form));
    return loaded;
  }

  const fileOf = (name: string) => join(folder!, name + EXTENSION);

  function find(name: string): Saved {
    const found = saved().get(name);
    if (found) return found;
    const names = [...saved().keys()];
    throw new SandboxError(
      "not_found",
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

  function freeName(): string {
    let number = saved().size + 1;
    while (saved().has(`snapshot-${number}`)) number += 1;
    return `snapshot-${number}`;
  }

  function keep(name: string, { bytes, ...info }: Captured): SnapshotView {
    const view: SnapshotView = {
      name,
      ...info,
      bytes: bytes.length,
      problem: null,
      durable: folder !== undefined,
    };
    if (folder === undefined) {
      checkRoom(name, bytes.length);
      saved().set(name, { bytes: () => bytes, view });
    } else {
      write(folder, fileOf(name), bytes);
      saved().set(name, { bytes: () => readFileSync(fileOf(name)), view });
    }
    return view;
  }

  /** @throws SandboxError `invalid_state` where it and the others would take too much memory */
  function checkRoom(name: string, bytes: number): void {
    const others = [...saved().values()].filter(({ view }) => view.name !== name);
    const all = others.reduce((sum, { view }) => sum + view.bytes, bytes);
    const most = memory();
    if (all <= most * MIB) return;
    const inMib = (size: number) => Math.ceil(size / MIB);
    const ways = (remove: string, store: string) =>
      `Delete others${remove}, raise worlds.snapshotMemory in the configuration, or ${store}.`;
    throw new SandboxError(
      "invalid_state",
      `The snapshot ${name} has ${inMib(bytes)} MiB. With the others in memory (${others.length}) that makes ${inMib(all)} MiB, and the limit is ${most} MiB.`,
      {
        command: ways(
          ": npx sandglass snapshot delete <name>",
          "start with --data-dir to store them as files",
        ),
        library: ways("", "start the sandbox with dataDir to store them as files"),
        http: ways(" with DELETE /_sandbox/snapshots/{name}", "start with --data-dir to store them as files"),
        page: ways("", "start with --data-dir to store them as files"),
      },
    );
  }

  return {
    has: (name: string): boolean => saved().has(name),

    /** @throws SandboxError `not_found`, `bad_request` for one that cannot be used */
    bytesOf(name: string): Buffer {
      const { bytes, view } = find(name);
      if (view.problem === null) return bytes();
      throw new SandboxError("bad_request", view.problem, {
        command: `Remove it: npx sandglass snapshot delete ${name}`,
        library: "Save another under its name.",
        http: `Remove it with DELETE /_sandbox/snapshots/${name}, or save another under its name.`,
      });
    },

    /**
     * Keeps a snapshot that a world of this server gave, in place of one of that name; without a name one is made.
     * @throws SandboxError `bad_request` for a name
     */
    save(name: string | undefined, captured: Captured): SnapshotView {
      return keep(checkName("snapshot", name ?? freeName()), captured);
    },

    /**
     * Keeps a snapshot from outside, in place of one of that name.
     * @throws SandboxError `bad_request` for a name, or for bytes that are no snapshot of this version
     */
    accept(name: string, bytes: Buffer): SnapshotView {
      checkName("snapshot", name);
      return keep(name, { bytes, ...inspectSnapshot(bytes, form, `The snapshot ${name}`) });
    },

    /** @throws SandboxError `not_found` */
    remove(name: string): void {
      find(name);
      saved().delete(name);
      if (folder !== undefined) rmSync(fileOf(name), { force: true, recursive: true });
    },

    /** In the order in which they were saved. */
    list: (): SnapshotView[] => [...saved().values()].map(({ view }) => view),
  };
}

/** Whole or not at all: a kill in between leaves the file that there was. */
function write(folder: string, file: string, bytes: Buffer): void {
  try {
    makePrivateFolder(folder, /(?:)/);
    writePrivateFile(`${file}.part`, bytes);
    renameSync(`${file}.part`, file);
  } catch (error) {
    if (meansDiskFull(error)) {
      rmSync(`${file}.part`, { force: true });
      throw diskFull(file);
    }
    throw new SandboxError(
      "invalid_state",
      `The snapshot cannot be saved in ${folder}: ${(error as Error).message}.`,
      "See to it that the data folder can be written to.",
    );
  }
}

function savedIn(folder: string, form: WorldForm): [string, Saved][] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith(EXTENSION));
  return files.sort().map((file) => {
    const name = file.slice(0, -EXTENSION.length);
    return [name, read(name, join(folder, file), form)];
  });
}

/** What a file has; one that cannot be used is listed with the reason. */
function read(name: string, file: string, form: WorldForm): Saved {
  const bytes = () => readFileSync(file);
  let size = 0;
  try {
    const content = bytes();
    size = content.length;
    const info = inspectSnapshot(content, form, `The snapshot ${name}`);
    return { bytes, view: { name, ...info, bytes: size, problem: null, durable: true } };
  } catch (error) {
    const problem =
      error instanceof SandboxError
        ? error.message
        : `The snapshot ${name} cannot be read: ${(error as Error).message}.`;
    return { bytes, view: { name, seed: null, now: null, bytes: size, problem, durable: true } };
  }
}
