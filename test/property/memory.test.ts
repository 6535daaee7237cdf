import fc from "fast-check";
import { expect, test } from "vitest";
import { openStore } from "../../src/world/store.ts";

const TABLES = ["create table counters (name text primary key, value integer not null);"];
const NAMES = ["a", "b", "c"];

const step = fc.record({
  name: fc.constantFrom(...NAMES),
  /** How the value is read before it changes: inside the transaction, before it, or not at all. */
  reads: fc.constantFrom("no", "before", "within"),
  ends: fc.constantFrom("commit", "rollback", "restore", "failed restore"),
});

function openCounters() {
  const store = openStore({ tables: TABLES });
  const read = store.sql<{ value: number }>("select value from counters where name = ?");
  const write = store.sql("insert or replace into counters (name, value) values (?, ?)");
  const sum = store.sql<{ n: number }>("select coalesce(sum(value), 0) as n from counters");
  const stored = (name: string) => read.get(name)?.value ?? null;
  const values = store.remember(stored);
  const total = store.memo(() => sum.get()!.n);
  const increment = (name: string) => {
    const value = (values.get(name) ?? 0) + 1;
    values.set(name, value);
    total.set(total.get() + 1);
    write.run(name, value);
  };
  return { store, stored, values, total, sum, increment };
}

test("cached values match their rows after commits, rollbacks and restores", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { store, stored, values, total, sum, increment } = openCounters();
      const saved = store.serialize();
      for (const { name, reads, ends } of steps) {
        if (reads === "before") values.get(name);
        const work = () => {
          if (reads === "within") values.get(name);
          increment(name);
          if (ends !== "commit" && ends !== "restore") throw new Error("rolled back");
        };
        const run = () =>
          ends.endsWith("restore") ? store.restore({ bytes: saved }, work) : store.transaction(work);
        if (ends === "commit" || ends === "restore") run();
        else expect(run).toThrow("rolled back");
        for (const each of NAMES) expect(values.get(each)).toBe(stored(each));
        expect(total.get()).toBe(sum.get()!.n);
      }
      store.close();
    }),
  );
});

test("a cached null stays cached, and undefined or invalidated values are read again", () => {
  const store = openStore({ tables: TABLES });
  const asked: string[] = [];
  const values = store.remember((name: string) => {
    asked.push(name);
    return name === "none" ? null : undefined;
  });
  for (const name of ["none", "none", "unknown", "unknown"]) values.get(name);
  values.forget("none");
  values.get("none");
  expect(asked).toEqual(["none", "unknown", "unknown", "none"]);
  store.close();
});

test("a cache independent of rows survives a rollback and is rebuilt after a restore", () => {
  const store = openStore({ tables: TABLES });
  const saved = store.serialize();
  const calls = store.untilRestore(() => ({ count: 0 }));
  const first = calls();
  expect(() =>
    store.transaction(() => {
      calls().count += 1;
      throw new Error("rolled back");
    }),
  ).toThrow("rolled back");
  expect(first).toEqual({ count: 1 });
  expect(calls()).toBe(first);
  store.restore({ bytes: saved }, () => {});
  expect(calls()).toEqual({ count: 0 });
  store.close();
});
