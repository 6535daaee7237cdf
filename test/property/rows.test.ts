import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Row, Rows, TableShape } from "../../src/trial/database/dialect.ts";
import { RowNames } from "../../src/trial/subject/rows.ts";
import { Comparison } from "../../src/trial/subject/state.ts";

const SHAPES: TableShape[] = [
  { name: "orders", key: ["id"], draws: "next", references: [], unique: [] },
  {
    name: "payments",
    key: ["id"],
    draws: "next",
    references: [{ column: "order_id", table: "orders" }],
    unique: [],
  },
  { name: "notes", key: [], draws: null, references: [], unique: [] },
];

/**
 * The data that two runs leave behind: orders and their payments. The same index in both lists refers to the same row
 * of the story.
 */
interface Shop {
  orders: { status: string }[];
  payments: { order: number; amount: number }[];
}

const shops: fc.Arbitrary<Shop> = fc
  .array(fc.record({ status: fc.constantFrom("open", "paid") }), { minLength: 1, maxLength: 3 })
  .chain((orders) =>
    fc.record({
      orders: fc.constant(orders),
      payments: fc.array(fc.record({ order: fc.nat(orders.length - 1), amount: fc.constantFrom(5, 7) }), {
        maxLength: 3,
      }),
    }),
  );

const BEFORE: Rows = {
  orders: [{ id: 1, status: "paid" }],
  payments: [{ id: 1, order_id: 1, amount: 5 }],
  notes: [],
};

/** The rows of a shop, written in the given order. */
function rowsOf(
  { orders, payments }: Shop,
  orderTurns: readonly number[],
  paymentTurns: readonly number[],
): Rows {
  const idOf = (order: number) => orderTurns.indexOf(order) + 2;
  return {
    orders: [...BEFORE.orders!, ...orderTurns.map((order, index) => ({ id: index + 2, ...orders[order]! }))],
    payments: [
      ...BEFORE.payments!,
      ...paymentTurns.map((payment, index): Row => {
        const { order, amount } = payments[payment]!;
        return { id: index + 2, order_id: idOf(order), amount };
      }),
    ],
    notes: [],
  };
}

const inOrder = (list: readonly unknown[]): number[] => list.map((_, index) => index);

function permutations(all: readonly number[]): number[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one) =>
    permutations(all.filter((other) => other !== one)).map((rest) => [one, ...rest]),
  );
}

const differencesOf = (one: Rows, other: Rows, shapes = SHAPES) => {
  const [left, right] = new RowNames(shapes, BEFORE).compare(one, other, () => false);
  return new Comparison([]).differences(left, right);
};

describe("rows with generated ids", () => {
  test("rows are equal if and only if a brute-force search finds a renaming of ids that makes them equal", () => {
    let [equal, unlike] = [0, 0];
    fc.assert(
      fc.property(shops, shops, fc.boolean(), fc.infiniteStream(fc.nat()), (one, drawn, same, turns) => {
        const shuffled = (list: readonly unknown[]) =>
          inOrder(list)
            .map((value) => ({ value, by: turns.next().value as number }))
            .sort((a, b) => a.by - b.by)
            .map(({ value }) => value);
        const other = same ? one : drawn;
        const left = rowsOf(one, inOrder(one.orders), inOrder(one.payments));
        const right = rowsOf(other, shuffled(other.orders), shuffled(other.payments));
        const text = (rows: Rows) => JSON.stringify(rows);
        const isEqual = permutations(inOrder(other.orders)).some((orders) =>
          permutations(inOrder(other.payments)).some(
            (payments) => text(rowsOf(other, orders, payments)) === text(left),
          ),
        );
        if (isEqual) equal += 1;
        else unlike += 1;
        expect(differencesOf(left, right).length === 0).toBe(isEqual);
      }),
      { numRuns: 500 },
    );
    expect(equal).toBeGreaterThan(100);
    expect(unlike).toBeGreaterThan(100);
  });

  test("a payment that refers to a different order differs only in its foreign key", () => {
    const orders = [
      { id: 2, status: "open" },
      { id: 3, status: "paid" },
    ];
    const calm = { ...BEFORE, orders, payments: [{ id: 2, order_id: 3, amount: 5 }] };
    const found = { ...BEFORE, orders, payments: [{ id: 2, order_id: 2, amount: 5 }] };
    expect(differencesOf(calm, found)).toEqual([{ path: "payments.2.order_id", expected: 3, actual: 2 }]);
  });

  test("different rows are identified by their ids in the run without a failure", () => {
    const calm = {
      ...BEFORE,
      orders: [
        { id: 2, status: "paid" },
        { id: 3, status: "open" },
      ],
      payments: [{ id: 2, order_id: 2, amount: 5 }],
    };
    const found = {
      ...BEFORE,
      orders: [
        { id: 2, status: "open" },
        { id: 3, status: "failed" },
      ],
      payments: [{ id: 2, order_id: 3, amount: 5 }],
    };
    expect(differencesOf(calm, found)).toEqual([
      { path: "orders.2.status", expected: "paid", actual: "failed" },
    ]);
  });

  test("a number that the server assigns to an order is compared literally", () => {
    const shapes: TableShape[] = [{ name: "orders", key: ["id"], draws: "next", references: [], unique: [] }];
    const differences = differencesOf(
      { orders: [{ id: 70, status: "paid" }] },
      { orders: [{ id: 71, status: "paid" }] },
      shapes,
    );
    expect(differences.map(({ path }) => path)).toEqual(["orders.70", "orders.71"]);
  });

  test("a column named after a table refers to it even without a foreign key", () => {
    const shapes = SHAPES.map((shape) => ({ ...shape, references: [], unique: [] }));
    const names = new RowNames(shapes, BEFORE);
    const state = (order: number, other: number): Rows => ({
      orders: [
        { id: order, status: "paid" },
        { id: other, status: "open" },
      ],
      payments: [{ id: 2, order_id: order, amount: 2 }],
      notes: [],
    });
    names.learn(state(2, 3), state(2, 3), () => false);
    const comparable = (one: Rows, other: Rows) =>
      new Comparison([]).differences(...names.compare(one, other, () => false));
    expect(comparable(state(2, 3), state(3, 2))).toEqual([]);
    expect(
      comparable(state(2, 3), { ...state(3, 2), payments: [{ id: 2, order_id: 3, amount: 3 }] }),
    ).toHaveLength(1);
  });

  test("a count, flag or key that happens to equal a generated id is not a reference", () => {
    const shapes: TableShape[] = [
      { name: "events", key: ["number"], draws: "next", references: [], unique: [] },
      { name: "accounts", key: ["id"], draws: null, references: [], unique: [] },
    ];
    const names = new RowNames(shapes, { events: [], accounts: [{ id: 1, events: 0, paid: 0 }] });
    const state = (first: string, second: string): Rows => ({
      events: [
        { number: 1, of: first },
        { number: 2, of: second },
      ],
      accounts: [{ id: 1, events: 2, paid: 1 }],
    });
    names.learn(state("a", "b"), state("a", "b"), () => false);
    const trees = names.compare(state("a", "b"), state("b", "a"), () => false);
    expect(new Comparison([]).differences(...trees)).toEqual([]);
  });

  test("UUID keys that differ between two calm runs are treated as generated ids", () => {
    const shapes: TableShape[] = SHAPES.map((shape) => ({
      ...shape,
      draws: null,
      references: [],
      unique: [],
    }));
    const names = new RowNames(shapes, { orders: [], payments: [], notes: [] });
    const state = (order: string, payment: string): Rows => ({
      orders: [{ id: order, status: "paid" }],
      payments: [{ id: payment, order_id: order, amount: 5 }],
      notes: [],
    });
    const [one, other] = [
      state("0a1b-2c3d-4e5f", "1111-2222-3333"),
      state("9a8b-7c6d-5e4f", "4444-5555-6666"),
    ];
    names.learn(one, other, (_table, column) => column !== "amount");
    expect(new Comparison([]).differences(...names.compare(one, other, () => false))).toEqual([]);
    expect(names.isName("payments", "order_id")).toBe(true);
  });
});

describe("rows that are numbered within their group", () => {
  const KEYS: TableShape[] = [
    { name: "log", key: ["stream", "version"], draws: null, references: [], unique: [["stream", "version"]] },
    { name: "log", key: ["id"], draws: "next", references: [], unique: [["stream", "version"]] },
    { name: "log", key: [], draws: null, references: [], unique: [] },
  ];
  interface Entry {
    stream: string;
    amount: number;
  }
  /** A log to which entries were appended in this order, each with the next number of its stream. */
  const logOf = (entries: readonly Entry[], first: number): Rows => {
    const counts = new Map<string, number>();
    const log = entries.map(({ stream, amount }, index) => {
      counts.set(stream, (counts.get(stream) ?? first - 1) + 1);
      return { id: index + 2, stream, version: counts.get(stream)!, amount };
    });
    return { log: [{ id: 1, stream: "old", version: 5, amount: 1 }, ...log] };
  };
  const entries = fc
    .array(fc.record({ stream: fc.constantFrom("a", "b"), amount: fc.constantFrom(1, 2, 3) }), {
      minLength: 1,
      maxLength: 5,
    })
    .map((all) => [...all, { stream: "a", amount: 4 }, { stream: "a", amount: 5 }]);
  const compare = (shape: TableShape, calm: Rows, found: Rows, isOrdered = false) => {
    const shown = ({ log }: Rows): Rows => ({
      log: shape.key.includes("id") ? log! : log!.map(({ id: _id, ...row }) => row),
    });
    const [one, other] = [shown(calm), shown(found)];
    const names = new RowNames([shape], shown(logOf([], 1)), () => isOrdered);
    names.learn(one, one, () => false);
    return new Comparison([], isOrdered ? ["log"] : []).differences(
      ...names.compare(one, other, () => false),
    );
  };

  test("numbered rows are equal in any order, but not with a missing, duplicate or unrelated entry", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KEYS), fc.nat(1), entries, fc.nat(), (shape, first, all, turn) => {
        const at = turn % all.length;
        const turned = [...all.slice(at), ...all.slice(0, at)];
        const other = all[at]!.stream === "a" ? "b" : "a";
        const calm = logOf(all, first);
        expect(compare(shape, calm, logOf(turned, first))).toEqual([]);
        for (const wrong of [
          turned.slice(1),
          [...turned, all[0]!],
          turned.with(0, { ...all[at]!, stream: other }),
        ])
          expect(compare(shape, calm, logOf(wrong, first))).not.toEqual([]);
      }),
    );
  });

  test("numbered rows in a different order are treated as different if the table's order matters", () => {
    for (const shape of KEYS) {
      const all = [1, 2, 3].map((amount) => ({ stream: "a", amount }));
      expect(compare(shape, logOf(all, 1), logOf(all.toReversed(), 1), true)).not.toEqual([]);
      expect(compare(shape, logOf(all, 1), logOf(all, 1), true)).toEqual([]);
    }
  });

  test("a number in a unique index that does not number its rows is compared literally", () => {
    const shape = { ...KEYS[0]!, key: ["stream", "plan_id"], unique: [["stream", "plan_id"]] };
    const state = (one: number, other: number): Rows => ({
      log: [
        { stream: "a", plan_id: one, amount: 1 },
        { stream: "a", plan_id: other, amount: 2 },
      ],
    });
    expect(compare(shape, state(1, 2), state(2, 1))).not.toEqual([]);
  });
});
