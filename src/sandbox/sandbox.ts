import { resolve } from "node:path";
import type { Static } from "typebox";
import packageJson from "../../package.json" with { type: "json" };
import type { Upstream } from "../chain-data/providers/upstream.ts";
import { EMPTY_SEED, type Settings } from "../config/config.ts";
import { lacksRoom } from "../errors/disk-full.ts";
import { noPlatform } from "../errors/no-platform.ts";
import type { Area, AreaPart } from "../http/area.ts";
import { createRequestLog, type RequestLog } from "../http/request-log.ts";
import type * as schemas from "../operations/worlds.ts";
import type { WebhookEngine } from "../webhooks/engine.ts";
import type { ClockChange } from "../world/clock.ts";
import { holdsData } from "../world/database.ts";
import { iso } from "../world/duration.ts";
import { prepareWorldFile } from "../world/files.ts";
import type { Journal } from "../world/journal.ts";
import { stage } from "../world/staged.ts";
import { createWorld, type World } from "../world/world.ts";
import { createFaultControls, type FaultControls } from "./api-faults.ts";
import { type AnyArea, hasPlatform, openParts, tablesOf } from "./areas.ts";
import type { Beginning } from "./beginnings.ts";
import type { PaymentControls } from "./checkouts.ts";
import { type ClockControls, createClockControls } from "./clock.ts";
import type { DataControls } from "./data.ts";
import { createDeliveryControls } from "./deliveries.ts";
import { createEndpointControls } from "./endpoints.ts";
import { checkTypes } from "./entry-names.ts";
import type { GameControls } from "./game.ts";
import { inTurn } from "./heavy.ts";
import { createOutageControls } from "./outage.ts";
import type { Platform } from "./platform.ts";
import { createReplacements, type Replacements } from "./replacement.ts";
import { freshBytes, withAdditions, withWorld } from "./seed.ts";
import { createSenderControls, type SenderControls } from "./senders.ts";
import type { Captured } from "./snapshots.ts";
import type { WebhookControls } from "./webhooks.ts";

export const VERSION = packageJson.version;

/** One world. Each operation on it is a method of the same name, such as `webhooks.retry`. */
export interface Sandbox extends Replacements {
  world: World;
  settings: Settings;
  /** Whether it continues a world from its data folder. */
  wentOn: boolean;
  /** @throws SandboxError `invalid_state` in a world that only has senders, like `payments`, `data` and `game` */
  part<Part extends AreaPart>(area: Pick<Area<Part>, "name" | "open">): Part;
  clock: ClockControls;
  webhooks: WebhookControls;
  inboxes: WebhookEngine["inboxes"];
  senders: SenderControls;
  readonly payments: PaymentControls;
  readonly data: DataControls;
  readonly game: GameControls;
  requests: RequestLog;
  journal: Journal;
  /** Rejects names that no journal entry can have. @throws SandboxError `bad_request` */
  checkTypes(types: readonly string[]): void;
  /** Starts the world. Timers fire, including those for attempts that a crash interrupted. */
  start(): void;
  /** The world's facts as shown in lists. Does not wake a suspended world. */
  view(): schemas.World;
  /** The running sandbox with its URLs and keys, without counts, as `sandglass start --json` prints it. */
  status(): Omit<Static<typeof schemas.Status>, "counts" | "last_seq">;
  /** The world's URL within this process, without a trailing slash. */
  ownUrl(): string;
  /** Renews the part of the status that can expire: the player's token. */
  refresh(): Promise<void>;
  counts(): Record<string, number>;
  faults: FaultControls;
  /** The current rows in the format of a fixtures file, as JSON created in another thread. */
  export(): Promise<Buffer>;
  /** Captures the whole world between two advances: data, clock, timers, randomness and faults. */
  capture(): Promise<Captured>;
  /** Like `capture`, but returns only the bytes. */
  snapshot(): Promise<Buffer>;
  /** Calls the listener when the world is closed. @returns a function that unsubscribes */
  onClose(listener: () => void): () => void;
  close(): void;
}

/** The URLs of a server or of one of its worlds. */
export interface Place {
  /**
   * The public URL without a trailing slash: `http://127.0.0.1:4400`, followed by `/w/{name}` for a world with a
   * prefix.
   */
  url: () => string;
  /** The URL within this process, which may be unable to reach the public one: behind a proxy, or in a container. */
  ownUrl: () => string;
  /** The state of sharing; null if other machines cannot reach the sandbox. */
  sharing: () => { wrong_tokens: number } | null;
}

export interface SandboxOptions {
  name: string;
  settings: Settings;
  place: Place;
  /** The connection to chain-data providers. A server's worlds share it, and whoever created it must close it. */
  upstream: Upstream;
  areas: readonly AnyArea[];
  /** A snapshot to continue from, instead of fixtures. */
  bytes?: Buffer | undefined;
  /** The state that the world starts from instead of a seed. A reset restores this state. */
  beginning?: Beginning | undefined;
  /** Whether its clock continues from the clock of the starting state; otherwise the clock starts as configured. */
  keepsClock?: boolean;
  /** The initial mode and rate of the clock, whatever the starting state contains. */
  clock?: Omit<ClockChange, "now"> | undefined;
}

/**
 * Opens a world with its areas, starting from a seed, a snapshot or its data folder. Nothing runs before `start`.
 * @throws SandboxError `invalid_state` if the data folder cannot be used
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { name, settings, bytes: begun } = options;
  const { dataDir } = settings;
  const file = dataDir === undefined ? undefined : prepareWorldFile(resolve(dataDir), name);
  const goesOn = file !== undefined && holdsData(file);
  const begins = goesOn ? undefined : await stage(begun ?? (await beginningOf(options)), file);
  const world = createWorld({
    name,
    seed: settings.seed,
    startAt: settings.startAt,
    mode: settings.clock.mode,
    rate: settings.clock.rate,
    begin(clock) {
      if (!options.keepsClock) clock.set(settings.clock);
      clock.set(options.clock ?? {});
    },
    file,
    begins,
    tables: tablesOf(options.areas),
    journalEntries: settings.worlds.journalEntries,
    settleTimeout: settings.settleTimeout,
  });
  try {
    return await assemble(world, options, goesOn);
  } catch (error) {
    world.close();
    throw error;
  }
}

async function beginningOf({ areas, beginning, settings }: SandboxOptions): Promise<Buffer> {
  return beginning ? withAdditions(beginning.bytes, settings, areas) : freshBytes(settings, settings, areas);
}

/** The bytes that a world starts from: read again from the current files, or created from a seed. */
async function beginAgain(world: World, options: SandboxOptions, seed?: string): Promise<Buffer> {
  const { areas, beginning, settings } = options;
  if (beginning && seed === undefined)
    return beginningOf({ ...options, beginning: (await beginning.again?.()) ?? beginning });
  const origin = world.origin();
  const areSendersAlone = settings.areSendersAlone && seed === undefined && origin.seed === EMPTY_SEED;
  return freshBytes({ ...origin, ...(seed !== undefined && { seed }), areSendersAlone }, settings, areas);
}

const PROBE = { name: "probe", seed: "", startAt: 0 };

/** The status of the platform in a world that does not include it. */
const NO_PLATFORM = { organization: null, organizations: [], keys: null, player: null };

async function assemble(world: World, options: SandboxOptions, wentOn: boolean): Promise<Sandbox> {
  const { name, settings, place, upstream, areas } = options;
  const { url: origin, ownUrl } = place;
  const parts = openParts(areas, { world, settings, origin, ownOrigin: ownUrl, upstream });
  const { webhooks } = parts;
  const senders = createSenderControls(webhooks, settings);
  const requests: RequestLog = createRequestLog(world.clock, origin);
  const { clock, faults, journal, scheduler, store } = world;
  const closing = new Set<() => void>();

  const isThere = store.memo(() => hasPlatform(areas, world));
  /** Create the platform once the world has platform rows or is about to get them. The rows may disappear again. */
  let made: Platform | undefined;
  async function openPlatform(): Promise<void> {
    if (made) return;
    await parts.open();
    made = (await import("./platform.ts")).createPlatform(world, parts, settings.settleTimeout);
  }
  function platform(): Platform {
    if (made && isThere.get()) return made;
    throw noPlatform(senderNames());
  }
  /** The names of the senders that the sandbox was started with, or of the senders in a snapshot. */
  const senderNames = () => settings.webhooks.senders?.map((one) => one.name) ?? webhooks.senders.names();

  const replacements = createReplacements({
    ...{ world, requests, parts: parts.all },
    async prepare(bytes) {
      const needs = (next: World) => hasPlatform(areas, next);
      if (!made && (await withWorld({ ...PROBE, begins: { bytes } }, areas, needs))) await openPlatform();
    },
    begin: (seed) => beginAgain(world, options, seed),
  });
  const refresh = async () => {
    if (isThere.get()) for (const part of parts.all) await part.refresh?.();
  };
  if (isThere.get()) await openPlatform();
  await refresh();
  for (const part of parts.all) part.resume?.();

  const capture = (): Promise<Captured> =>
    scheduler.exclusive(() =>
      inTurn(async () => {
        const now = iso(clock.anchor());
        const { seed } = world.origin();
        return { bytes: await store.copy(), seed, now };
      }),
    );

  return {
    world,
    settings,
    wentOn,
    part: (area) => platform() && parts.of(area),
    clock: createClockControls(world, areas, parts),
    get payments() {
      return platform().payments;
    },
    get data() {
      return platform().data;
    },
    get game() {
      return platform().game;
    },
    webhooks: {
      ...createEndpointControls(webhooks, () => platform().area),
      ...createDeliveryControls(webhooks),
      ...createOutageControls({
        ...{ world, engine: webhooks, platform, senders },
        playUndoable: replacements.playUndoable,
      }),
      engine: webhooks,
    },
    inboxes: webhooks.inboxes,
    senders,
    requests,
    journal,
    checkTypes: (types) => checkTypes(types, areas),
    start: scheduler.start,

    view: () => ({ name, url: origin(), seed: world.origin().seed, clock: clock.state() }),

    status() {
      const bases = areas.map(({ name }) => [name, `${origin()}/${name}`] as const);
      return {
        ready: true,
        version: VERSION,
        node: process.versions.node,
        url: origin(),
        bases: Object.fromEntries(bases.sort()),
        world: name,
        seed: world.origin().seed,
        clock: clock.state(),
        senders: isThere.get() ? [] : senderNames(),
        share: place.sharing(),
        webhook_secret: settings.webhooks.secret ?? null,
        ...(isThere.get() ? platform().status() : NO_PLATFORM),
      };
    },

    ownUrl,
    refresh,
    counts: () => Object.assign({}, ...parts.all.map((part) => part.counts?.())),
    faults: createFaultControls(faults, areas),

    async export() {
      const { bytes } = await capture();
      const { dump } = await import("./in-thread.ts");
      return inTurn(() => dump(bytes, settings, areas));
    },

    capture,
    snapshot: async () => (await capture()).bytes,

    ...replacements,

    onClose(listener) {
      closing.add(listener);
      return () => void closing.delete(listener);
    },

    close() {
      for (const listener of closing) listener();
      for (const part of parts.all) part.close?.();
      try {
        clock.anchor();
      } catch (error) {
        // If there was no space to store the clock, the next start simply adds the time since it was last stored.
        if (!lacksRoom(error)) throw error;
      } finally {
        world.close();
      }
    },
  };
}
