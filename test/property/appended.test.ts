import fc from "fast-check";
import { expect, test } from "vitest";
import { createAppendedRows } from "../../src/world/appended.ts";
import { openStore } from "../../src/world/store.ts";

const TABLES = ["create table log (n integer not null, text text not null);"];

/** What one transaction does: adds rows, perhaps reads them in between, perhaps fails at its end. */
const transaction = fc.record({
  before: fc.nat({ max: 300 }),
  reads: fc.boolean(),
  after: fc.nat({ max: 40 }),
  fails: fc.boolean(),
  /** Whether the table is looked at once it is over. */
  looks: fc.boolean(),
});

test("rows that wait in memory are seen by every read, in order, and taken back by a rollback alone", () => {
  fc.assert(
    fc.property(fc.array(transaction, { maxLength: 12 }), (steps) => {
      const store = openStore({ tables: TABLES });
      const rows = createAppendedRows(store, "log", ["n", "text"]);
      const all = store.sql<{ n: number }>("select n from log order by rowid");
      const seen = () => all.all().map(({ n }) => n);
      let kept: number[] = [];
      let next = 0;
      const add = (count: number, into: number[]) => {
        for (let index = 0; index < count; index += 1) {
          next += 1;
          rows.add(next, `row ${next}`);
          into.push(next);
        }
      };
      for (const step of steps) {
        const model = [...kept];
        const run = () =>
          store.transaction(() => {
            add(step.before, model);
            if (step.reads) expect(seen()).toEqual(model);
            add(step.after, model);
            if (step.fails) throw new Error("rolled back");
          });
        if (step.fails) expect(run).toThrow("rolled back");
        else {
          run();
          kept = model;
        }
        if (step.looks) expect(seen()).toEqual(kept);
      }
      const copy = openStore({ begins: { bytes: store.serialize() }, tables: TABLES });
      expect(copy.sql<{ n: number }>("select n from log order by rowid").all()).toHaveLength(kept.length);
      expect(seen()).toEqual(kept);
      copy.close();
      store.close();
    }),
    { numRuns: 60 },
  );
});
