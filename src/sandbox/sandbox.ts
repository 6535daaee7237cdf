import { resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { chainDataArea } from "../chain-data/area.ts";
import type { Upstream } from "../chain-data/providers/upstream.ts";
import { EMPTY_SEED, type Settings } from "../config/config.ts";
import { lacksRoom } from "../errors/disk-full.ts";
import { notFound } from "../errors/errors.ts";
import { gameArea } from "../game/area.ts";
import { type ApiFault, apiFaultTarget, checkMatch } from "../http/api-faults.ts";
import { createRequestLog, type RequestLog } from "../http/request-log.ts";
import { paymentsArea } from "../payments/area.ts";
import type { ClockChange } from "../world/clock.ts";
import { holdsData } from "../world/database.ts";
import { iso } from "../world/duration.ts";
import { prepareWorldFile } from "../world/files.ts";
import { stage } from "../world/staged.ts";
import { createWorld, type World } from "../world/world.ts";
import { type AnyArea, type AreaName, openParts, tablesOf } from "./areas.ts";
import type { Beginning } from "./beginnings.ts";
import { createClockControls } from "./clock.ts";
import { createDataControls } from "./data.ts";
import { checkTypes } from "./entry-names.ts";
import { createGameControls } from "./game.ts";
import { inTurn } from "./heavy.ts";
import { createPaymentControls, makeRulePayments } from "./payments.ts";
import { createReplacements } from "./replacement.ts";
import { freshBytes, withAdditions } from "./seed.ts";
import { createSenderControls } from "./senders.ts";
import type { Captured } from "./snapshots.ts";

export const VERSION = packageJson.version;

/** The operations on one world. The control API is the same over HTTP. */
export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** The addresses of a server, or of a world of it. */
export interface Place {
  /**
   * The address for callers, without a trailing slash: `http://127.0.0.1:4400`, with `/w/{name}` for a world that has a prefix.
   */
  url: () => string;
  /** The address for this process, which may not reach the other one: behind a proxy, or in a container. */
  ownUrl: () => string;
  /** The status of sharing; null for a sandbox that other machines cannot reach. */
  sharing: () => { wrong_tokens: number } | null;
}

export interface SandboxOptions {
  name: string;
  settings: Settings;
  place: Place;
  /** The connection to providers of chain data, which the worlds of a server share and its maker closes. */
  upstream: Upstream;
  areas: readonly AnyArea[];
  /** A snapshot to continue, in place of fixtures. */
  bytes?: Buffer | undefined;
  /** Its beginning in place of a seed, which a reset restores. */
  beginning?: Beginning | undefined;
  /** Whether its clock continues that of its beginning; otherwise it starts as configured. */
  keepsClock?: boolean;
  /** The state of its clock at the beginning, whatever that is. */
  clock?: Omit<ClockChange, "now"> | undefined;
}

/**
 * Opens a world with its areas: seeded, from a snapshot, or from its data folder. Nothing moves before `start`.
 * @throws SandboxError `invalid_state` if the data folder cannot be used
 */
export async function openSandbox(options: SandboxOptions) {
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

/** The database of a new world's beginning. */
async function beginningOf({ areas, beginning, settings }: SandboxOptions): Promise<Buffer> {
  return beginning ? withAdditions(beginning.bytes, settings, areas) : freshBytes(settings, settings, areas);
}

/** The areas of a world, and the operations on them. */
async function assemble(world: World, options: SandboxOptions, wentOn: boolean) {
  const { name, settings, place, upstream, areas } = options;
  const { url: origin, ownUrl } = place;
  const { senders = [] } = settings.payments.webhooks;
  const parts = openParts(areas, { world, settings, origin, ownOrigin: ownUrl, upstream });
  const payments = parts.of(paymentsArea);
  const launcher = parts.of(gameArea);
  const controls = createPaymentControls(payments, settings.settleTimeout);
  const requests: RequestLog = createRequestLog(world.clock, origin);
  const { clock, faults, journal, scheduler, store } = world;
  const closing = new Set<() => void>();

  const refresh = async () => {
    for (const part of parts.all) await part.refresh?.();
  };
  await refresh();
  for (const part of parts.all) part.resume?.();
  makeRulePayments(world, (link, input) => controls.startPayment({ payment_link_id: link, ...input }));

  /** The whole world between two advances: data, clock, timers, chance and faults. */
  const capture = (): Promise<Captured> =>
    scheduler.exclusive(() =>
      inTurn(async () => {
        const now = iso(clock.anchor());
        const { seed } = world.origin();
        return { bytes: await store.copy(), seed, now };
      }),
    );

  async function beginAgain(seed?: string): Promise<Buffer> {
    const { beginning } = options;
    if (beginning && seed === undefined)
      return beginningOf({ ...options, beginning: (await beginning.again?.()) ?? beginning });
    const origin = world.origin();
    return freshBytes({ seed: seed ?? origin.seed, startAt: origin.startAt }, settings, areas);
  }

  function checkArea(area: string): string {
    if (areas.some(({ name }) => name === area)) return apiFaultTarget(area);
    const names = areas.map(({ name }) => name).join(", ");
    throw notFound(`There is no area ${area}.`, `Areas: ${names}.`);
  }

  return {
    world,
    settings,
    /** Whether it continues the world of its data folder. */
    wentOn,
    /** The world's part of an area. */
    part: parts.of,
    clock: createClockControls(world, areas, payments.outlook, (timer) =>
      parts.all.some((part) => part.isSeeded?.(timer)),
    ),
    payments: controls,
    senders: createSenderControls(payments, settings.settleTimeout),
    data: createDataControls(parts.of(chainDataArea)),
    game: createGameControls(launcher),
    requests,
    journal,
    /** Refuses names that no journal entry can have. @throws SandboxError `bad_request` */
    checkTypes: (types: readonly string[]): void => checkTypes(types, areas),

    /** Starts the world: timers fire, also those of attempts that a crash interrupted. */
    start: (): void => scheduler.start(),

    /** The world's facts for a list. This does not wake an idle world. */
    view: () => ({ name, url: origin(), seed: world.origin().seed, clock: clock.state() }),

    /** The running sandbox with its addresses and keys: the object of `sandglass start --json`. */
    status() {
      const bases = areas.map(({ name }) => [name, `${origin()}/${name}`] as const);
      return {
        ready: true as const,
        version: VERSION,
        node: process.versions.node,
        url: origin(),
        bases: Object.fromEntries(bases.sort()) as Record<AreaName, string>,
        world: name,
        seed: world.origin().seed,
        clock: clock.state(),
        senders:
          settings.areSendersAlone && world.origin().seed === EMPTY_SEED
            ? senders.map((one) => one.name)
            : [],
        share: place.sharing(),
        ...payments.status(),
        ...launcher.status(),
      };
    },

    /** The world's address for this process. */
    ownUrl,
    /** Renews expired values of the status: the player's token. */
    refresh,

    counts: (): Record<string, number> => Object.assign({}, ...parts.all.map((part) => part.counts?.())),

    /** Every fault in force: of subscribers, of the APIs and of providers. */
    faults: faults.list,

    setApiFault(area: string, fault: ApiFault) {
      const target = checkArea(area);
      if (fault.match !== undefined) checkMatch(fault.match);
      faults.set(target, fault);
      return faults.get(target)!;
    },
    apiFault: (area: string) => faults.get(checkArea(area)),
    clearApiFault: (area: string): boolean => faults.clear(checkArea(area)),

    /** The present rows in the form of a file of fixtures, as JSON, for a world that begins with them. */
    async export(): Promise<Buffer> {
      const { bytes } = await capture();
      const { dump } = await import("./in-thread.ts");
      return inTurn(() => dump(bytes, settings, areas));
    },

    capture,
    /** Like `capture`, but only the bytes. */
    snapshot: async (): Promise<Buffer> => (await capture()).bytes,

    ...createReplacements({ world, parts: parts.all, requests, begin: beginAgain }),

    /** Calls back when the world ends. */
    onClose: (listener: () => void): (() => void) => {
      closing.add(listener);
      return () => void closing.delete(listener);
    },

    close(): void {
      for (const listener of closing) listener();
      for (const part of parts.all) part.close?.();
      try {
        clock.anchor();
      } catch (error) {
        // The next start counts the time since the clock was last stored.
        if (!lacksRoom(error)) throw error;
      } finally {
        world.close();
      }
    },
  };
}
