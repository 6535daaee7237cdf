import type { Journal } from "./journal.ts";
import type { Random } from "./random.ts";
import type { Store } from "./store.ts";

export const FAULT_TABLES =
  "create table faults (target text primary key, spec text not null, asked integer not null, hit integer not null) without rowid;";

/** How often a fault applies. If none of the three fields is set, it applies every time until it is cleared. */
export interface FaultPlan {
  /** Applies this many times and is then cleared. */
  times?: number;
  /** Applies with this probability, 0 to 1, drawn from the seed. */
  rate?: number;
  /** What happens the first time, the second time, and so on. After the last step, the fault is cleared. */
  sequence?: unknown[];
}

export interface ActiveFault<Spec extends FaultPlan> {
  target: string;
  spec: Spec;
  /** How many times the fault was checked, and how many times it applied. */
  asked: number;
  hit: number;
}

/** The simulated failures, keyed by target (`webhook:wh_…`, `api:platform`). They are part of the world's state. */
export interface Faults<Spec extends FaultPlan = FaultPlan> {
  set(target: string, spec: Spec): void;
  clear(target: string): boolean;
  get(target: string): ActiveFault<Spec> | undefined;
  /** Every active fault, keyed by target. */
  list(): ActiveFault<Spec>[];
  /** Checks whether the target's fault applies now, and counts the check. `step` is the position in its sequence. */
  take(target: string): { spec: Spec; step: number } | undefined;
}

interface FaultRow {
  target: string;
  spec: string;
  asked: number;
  hit: number;
}

export function createFaults(store: Store, random: Random, journal: Journal): Faults {
  const read = store.sql<FaultRow>("select * from faults where target = ?");
  const readAll = store.sql<FaultRow>("select * from faults order by target");
  const write = store.sql("insert or replace into faults (target, spec, asked, hit) values (?, ?, ?, ?)");
  const remove = store.sql("delete from faults where target = ?");
  const activeFault = (row: FaultRow): ActiveFault<FaultPlan> => ({
    ...row,
    spec: JSON.parse(row.spec) as FaultPlan,
  });
  const get = (target: string): ActiveFault<FaultPlan> | undefined => {
    const row = read.get(target);
    return row && activeFault(row);
  };

  function clear(target: string): boolean {
    if (!get(target)) return false;
    store.transaction(() => {
      remove.run(target);
      journal.append("fault.cleared", { target });
    });
    return true;
  }

  return {
    get,
    list: () => readAll.all().map(activeFault),
    clear,
    set(target, spec) {
      store.transaction(() => {
        write.run(target, JSON.stringify(spec), 0, 0);
        journal.append("fault.set", { target, spec: { ...spec } });
      });
    },
    take(target) {
      const fault = get(target);
      if (!fault) return undefined;
      return store.transaction(() => {
        const { spec } = fault;
        const hits = spec.rate === undefined || random.fraction(`fault:${target}`) < spec.rate;
        const step = fault.asked;
        const next = { ...fault, asked: fault.asked + 1, hit: fault.hit + (hits ? 1 : 0) };
        const done = spec.times !== undefined && next.hit >= spec.times;
        const over = spec.sequence !== undefined && next.asked >= spec.sequence.length;
        if (done || over) clear(target);
        else write.run(target, JSON.stringify(spec), next.asked, next.hit);
        return hits ? { spec, step } : undefined;
      });
    },
  };
}
