import { hash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { From, Settings } from "../config/config.ts";
import { invalidState, misuse } from "../errors/errors.ts";
import { type BytesCache, createBytesCache } from "../runtime/bytes-cache.ts";
import { readRegularFile } from "../runtime/regular-file.ts";
import { shellArgument } from "../runtime/shell.ts";
import { type AnyArea, AREAS } from "../sandbox/areas.ts";
import { type Beginning, type Beginnings, type Reach, snapshotBeginning } from "../sandbox/beginnings.ts";
import { VERSION } from "../sandbox/sandbox.ts";
import type { KnownScenario } from "../scenarios/catalog.ts";
import { scenarioFilesIn } from "../scenarios/files.ts";
import { settingsFor } from "../scenarios/settings.ts";
import { findScenario, type Located, type LocateOptions, locate } from "./locate.ts";
import type { Served, ServeOptions } from "./serve.ts";

/** How many starting states are kept in memory. The others are read from the cache again. */
const MOST_MADE = 8;
/** The largest database, in bytes, that SQLite accepts from memory. */
const MOST_SNAPSHOT_BYTES = 1024 ** 3;
/**
 * The largest fixtures, in bytes, that can be read within a tenth of a second. Reading larger ones would block other
 * requests.
 */
const AT_ONCE = 128 * 1024;

export interface BeginningsOptions {
  settings: Settings;
  areas: readonly AnyArea[];
  cwd: string;
  /** Starts a server on which to run a scenario. */
  serve: (settings: Settings, options: ServeOptions) => Promise<Served>;
  cache?: BytesCache;
}

/**
 * Loads the states that a server's worlds can start from: fixtures, a snapshot file, or the end of a scenario. States
 * from fixtures and scenarios are cached on disk, by a hash of their inputs.
 */
export function createBeginnings(options: BeginningsOptions): Beginnings {
  const { areas, cwd, settings } = options;
  const cache = options.cache ?? createBytesCache();
  const folder = resolve(cwd, settings.scenarios);
  /** The starting states, the least recently used first. */
  const made = new Map<string, Promise<Buffer>>();

  /** The cached result for the same inputs, from this or another process, or else a newly created one. */
  function once(inputs: unknown, make: () => Promise<Buffer>): Promise<Buffer> {
    const key = sha256(JSON.stringify([VERSION, buildStamp(), inputs]));
    let bytes = made.get(key);
    made.delete(key);
    if (bytes) made.set(key, bytes);
    else {
      const cached = cache.read(key);
      bytes = cached ? Promise.resolve(cached) : make();
      made.set(key, bytes);
      if (made.size > MOST_MADE) made.delete(made.keys().next().value!);
      if (!cached)
        bytes.then(
          (result) => cache.write(key, result),
          () => made.delete(key),
        );
    }
    return bytes;
  }

  async function fromFixtures(path: string, { path: shown, seed, startAt }: From): Promise<Beginning> {
    const { readFixtureFiles } = await import("../sandbox/fixtures/files.ts");
    const files = readFixtureFiles(path, shown);
    const hashes = files.map(({ name, bytes }) => [name, sha256(bytes)]);
    const bytes = await once(["fixtures", hashes, seed, startAt, relevant(settings)], async () => {
      const plan = { files, shown, seed, startAt, settings };
      const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (size > AT_ONCE && areas === AREAS) {
        const { makeInThread } = await import("../sandbox/in-thread.ts");
        return makeInThread(plan);
      }
      const { makeFixtureBytes } = await import("../sandbox/fixtures/make.ts");
      return makeFixtureBytes({ ...plan, areas });
    });
    return { bytes, settings: {} };
  }

  async function fromSnapshot(path: string, { path: shown, seed, startAt }: From): Promise<Beginning> {
    if (seed !== undefined || startAt !== undefined)
      throw misuse(
        "A world starts from a snapshot, or from a seed and a start time, not both.",
        "Omit the snapshot, or omit the seed and the start.",
      );
    return snapshotBeginning(readRegularFile(path, shown, MOST_SNAPSHOT_BYTES, "bad_request"), shown, areas);
  }

  async function fromScenario(
    from: From,
    located: Located,
    locating: LocateOptions,
    names: readonly string[],
  ): Promise<Beginning> {
    const below = from === settings.from ? from.base : settings.from;
    const base = below && (await find(below, "machine"));
    // Include every file in the folder, because any of them may define the scenario. The shipped ones change only with
    // the version.
    const sources = [...scenarioFilesIn(folder), ...("path" in located ? [located.path] : [])].flatMap(
      (file) => sourcesOf(file).map((source) => [source, sha256(readFileSync(source))]),
    );
    const { path: text, seed, startAt } = from;
    const inputs = ["scenario", text, sources, seed, startAt, relevant(settings), base && sha256(base.bytes)];
    const packed = await once(inputs, async () => {
      const scenario = await findScenario(text, located, locating, names);
      return pack(await playBeginning(scenario, from, base, options));
    });
    const { bytes, settings: own } = unpack(packed);
    const { endpoints, inside } = settings.webhooks;
    const webhooks = { ...(own.webhooks ?? settings.webhooks), endpoints, inside };
    return { bytes, settings: { ...own, webhooks } };
  }

  async function find(from: From, reach: Reach, names: readonly string[] = []): Promise<Beginning> {
    const locating = { cwd, scenarios: folder, reach };
    const located = locate(from.path, locating);
    if (located.kind === "fixtures")
      return { ...(await fromFixtures(located.path, from)), again: () => find(from, reach, names) };
    if (located.kind === "snapshot") return fromSnapshot(located.path, from);
    return fromScenario(from, located, locating, names);
  }

  return { find };
}

const sha256 = (content: string | Uint8Array): string => hash("sha256", content);

const relevant = ({ seed, startAt, payments, webhooks, chainData, game }: Settings) => {
  const { inside: _, endpoints: _endpoints, ...others } = webhooks;
  return { seed, startAt, payments, webhooks: others, chainData, game };
};

/** Packs a starting state into a single buffer for the cache. */
function pack({ bytes, settings }: Beginning): Buffer {
  const text = Buffer.from(JSON.stringify(settings));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, bytes]);
}

function unpack(packed: Buffer): Beginning {
  const end = 4 + packed.readUInt32LE(0);
  const settings = JSON.parse(packed.subarray(4, end).toString("utf8")) as Beginning["settings"];
  return { bytes: packed.subarray(end), settings };
}

const IMPORTED = /(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/** A scenario's file and all the files that it imports by relative path, without duplicates. */
function sourcesOf(path: string, found = new Set<string>()): string[] {
  if (found.has(path) || !existsSync(path) || !statSync(path).isFile()) return [...found];
  found.add(path);
  for (const [, target] of readFileSync(path, "utf8").matchAll(IMPORTED))
    sourcesOf(resolve(dirname(path), target!), found);
  return [...found];
}

/** Distinguishes builds with the same version, which occur while Sandglass itself is being developed. */
function buildStamp(): number {
  return statSync(fileURLToPath(import.meta.url)).mtimeMs;
}

/**
 * Runs a scenario on a server of its own, without the configured endpoints, so the result does not depend on other
 * servers that happen to be running.
 * @param base the state that its world starts from, unless the scenario has its own seed or start time
 * @returns the world at the end of the scenario, and the scenario's changes to the configuration
 * @throws SandboxError `invalid_state` if the scenario fails
 */
async function playBeginning(
  scenario: KnownScenario,
  from: From,
  base: Beginning | undefined,
  { areas, serve, settings }: BeginningsOptions,
): Promise<Beginning> {
  const own = settingsFor(scenario, settings, null);
  const { seed = own.seed ?? settings.seed, startAt = own.startAt ?? settings.startAt } = from;
  const played: Settings = {
    ...settings,
    ...own,
    seed,
    startAt,
    from: undefined,
    webhooks: { ...(own.webhooks ?? settings.webhooks), endpoints: [], inside: undefined },
    port: 0,
    host: "127.0.0.1",
    ports: {},
    dataDir: undefined,
    clock: { mode: "paused", rate: 1 },
  };
  const served = await serve(played, { areas, base: own.from && base?.bytes });
  try {
    const { failure } = await (await served.scenarios()).playIn(served.sandbox, scenario);
    // A scenario that only creates a starting state needs no expectations.
    if (!failure || failure.code === "nothing_expected")
      return { bytes: await served.sandbox.snapshot(), settings: { ...own, from: undefined } };
    const where = failure.step === null ? "" : ` in the step "${failure.step}"`;
    throw invalidState(
      `The world cannot start from the scenario ${scenario.name}, which failed${where}: ${failure.message}`,
      `See what happened in it: npx sandglass run ${shellArgument(scenario.file)}`,
    );
  } finally {
    await served.close();
  }
}
