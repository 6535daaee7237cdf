import { CLOCK_TABLES, type Clock, type ClockMode, createClock } from "./clock.ts";
import { createFaults, FAULT_TABLES, type Faults } from "./faults.ts";
import { createIds, type Ids } from "./ids.ts";
import { createJournal, JOURNAL_TABLES, type Journal } from "./journal.ts";
import { createRandom, RANDOM_TABLES, type Random } from "./random.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";
import type { Staged } from "./staged.ts";
import { openStore, type Store } from "./store.ts";
import { createTimers, TIMER_TABLES, type Timers } from "./timers.ts";

export const WORLD_TABLES = [
  "create table world (id integer primary key check (id = 1), seed text not null, start_at integer instant not null);",
  CLOCK_TABLES,
  RANDOM_TABLES,
  TIMER_TABLES,
  JOURNAL_TABLES,
  FAULT_TABLES,
];

/** The parts of one isolated sandbox. It is independent of HTTP and of the areas. */
export interface World {
  readonly name: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly scheduler: Scheduler;
  /** The seed of the world, and the virtual instant of its clock after seeding. */
  origin(): { seed: string; startAt: number };
  close(): void;
}

export interface WorldOptions {
  name: string;
  /** The seed of everything random. A reopened world keeps its own seed. */
  seed: string;
  /** Virtual time at the start, milliseconds since the epoch. */
  startAt: number;
  mode: ClockMode;
  /** Virtual seconds per real second, for the `scaled` mode. */
  rate: number;
  /** The database file of a world that outlives the process. */
  file?: string | undefined;
  /** The initial content of its database, if there is no file or the file is empty. */
  begins?: Staged | undefined;
  /** Sets the clock of a new world that starts from bytes, within the transaction that creates it. */
  begin?: ((clock: Clock) => void) | undefined;
  /** The areas' `create table` statements. */
  tables: string[];
  /** How many journal entries to retain; by default, all. */
  journalEntries?: number;
  /** Real milliseconds that an open request gets while the clock is advanced or paused. */
  settleTimeout: number;
}

/**
 * Opens a world: a new one, or the one in `file`. A new world is created in a single transaction, so a kill leaves either
 * an empty file or a complete world.
 * @throws SandboxError `invalid_state` if the file cannot be used, `bad_request` for a rate out of range
 */
export function createWorld(options: WorldOptions): World {
  const { file, begins, tables } = options;
  const store = openStore({ file, begins, tables: [...WORLD_TABLES, ...tables] });
  try {
    const goesOn = store.durable && !store.empty;
    const make = () => assemble(store, options, goesOn);
    return store.durable && begins && !goesOn ? store.restore(begins, make) : store.transaction(make);
  } catch (error) {
    store.close();
    throw error;
  }
}

function assemble(store: Store, options: WorldOptions, goesOn: boolean): World {
  const { name, seed, startAt, mode, rate, begin } = options;
  if (store.empty) store.form();
  const readOrigin = store.sql<{ seed: string; start_at: number }>("select seed, start_at from world");
  if (!readOrigin.get())
    store.sql("insert into world (id, seed, start_at) values (1, ?, ?)").run(seed, startAt);
  // Cached so that listing worlds does not wake idle ones.
  const origin = store.memo(() => {
    const { seed, start_at } = readOrigin.get()!;
    return { seed, startAt: start_at };
  });
  const rememberOrigin = () => void origin.get();
  rememberOrigin();
  store.onRestore(rememberOrigin);
  const clock = createClock(store, { mode, rate, now: startAt }, goesOn);
  if (!goesOn) begin?.(clock);
  const random = createRandom(store, () => origin.get().seed);
  const timers = createTimers(store);
  const journal = createJournal(store, clock, options.journalEntries);
  const interruptedAt = journal.lastAt();
  if (interruptedAt > clock.now()) clock.set({ now: interruptedAt });
  const scheduler = createScheduler({ store, clock, timers, journal, settleTimeout: options.settleTimeout });
  return {
    name,
    store,
    clock,
    timers,
    random,
    ids: createIds(random),
    journal,
    faults: createFaults(store, random, journal),
    scheduler,
    origin: origin.get,
    close() {
      scheduler.close();
      store.close();
    },
  };
}
