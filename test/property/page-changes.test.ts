import fc from "fast-check";
import { expect, test } from "vitest";
import { changesOf, withChanges } from "../../src/world/page-changes.ts";
import { openStore } from "../../src/world/store.ts";

const PAGE = 4096;

test("what differs from a base gives the bytes back, and no more pages than differ", () => {
  const page = fc.nat({ max: 3 });
  fc.assert(
    fc.property(fc.array(page, { maxLength: 12 }), fc.array(page, { maxLength: 12 }), (from, to) => {
      const [base, bytes] = [from, to].map((pages) =>
        Buffer.concat(pages.map((fill) => Buffer.alloc(PAGE, fill))),
      ) as [Buffer, Buffer];
      const changes = changesOf(base, bytes);
      expect(withChanges(base, changes).equals(bytes)).toBe(true);
      expect(changes.numbers).toEqual(to.flatMap((fill, index) => (from[index] === fill ? [] : [index])));
    }),
  );
});

test("a store that rests now and then has the rows of one that never does", () => {
  const step = fc.constantFrom("write", "delete", "rest", "fail", "restore");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const tables = ["create table log (n integer primary key, text text not null);"];
      const store = openStore({ tables });
      const saved = store.serialize();
      const insert = store.sql("insert into log (n, text) values (?, ?)");
      const all = store.sql<{ n: number }>("select n from log order by n");
      let model: number[] = [];
      for (const [index, what] of steps.entries()) {
        if (what === "write") {
          store.transaction(() => insert.run(index, "x".repeat(index * 100)));
          model.push(index);
        } else if (what === "delete") {
          store.sql("delete from log where n = ?").run(model.shift() ?? -1);
        } else if (what === "fail") {
          expect(() =>
            store.transaction(() => {
              insert.run(index, "");
              store.rest();
              throw new Error("rolled back");
            }),
          ).toThrow("rolled back");
        } else if (what === "restore") {
          store.restore({ bytes: saved }, () => {});
          model = [];
        } else {
          store.rest();
          expect(store.resting).toBe(true);
        }
        if (what !== "rest") expect(all.all().map(({ n }) => n)).toEqual(model);
      }
      store.close();
    }),
    { numRuns: 60 },
  );
});
