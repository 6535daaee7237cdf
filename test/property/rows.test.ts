import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Row, RowNames, type Rows, type TableShape } from "../../src/trial/subject/rows.ts";
import { Comparison } from "../../src/trial/subject/state.ts";

const SHAPES: TableShape[] = [
  { name: "orders", key: ["id"], draws: "next", references: [] },
  { name: "payments", key: ["id"], draws: "next", references: [{ column: "order_id", table: "orders" }] },
  { name: "notes", key: [], draws: null, references: [] },
];

/** What two runs leave: orders, and payments of these. The same place in a list is the same row of the story. */
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

/** The rows of a shop, written in the given orders. */
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

describe("rows with drawn ids", () => {
  test("are equal if and only if one renaming of ids makes them equal, as trying all renamings shows", () => {
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

  test("differ in the foreign key alone where a payment belongs to the other order", () => {
    const orders = [
      { id: 2, status: "open" },
      { id: 3, status: "paid" },
    ];
    const calm = { ...BEFORE, orders, payments: [{ id: 2, order_id: 3, amount: 5 }] };
    const found = { ...BEFORE, orders, payments: [{ id: 2, order_id: 2, amount: 5 }] };
    expect(differencesOf(calm, found)).toEqual([{ path: "payments.2.order_id", expected: 3, actual: 2 }]);
  });

  test("are named by the ids of the run in which everything goes well", () => {
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

  test("differ where an order's own number differs, as the server gives it and the database does not draw it", () => {
    const shapes: TableShape[] = [{ name: "orders", key: ["id"], draws: "next", references: [] }];
    const differences = differencesOf(
      { orders: [{ id: 70, status: "paid" }] },
      { orders: [{ id: 71, status: "paid" }] },
      shapes,
    );
    expect(differences.map(({ path }) => path)).toEqual(["orders.70", "orders.71"]);
  });

  test("refer to each other without a foreign key if the column is named after the table", () => {
    const shapes = SHAPES.map((shape) => ({ ...shape, references: [] }));
    const names = new RowNames(shapes, BEFORE);
    const state = (order: number, other: number): Rows => ({
      orders: [
        { id: order, status: "paid" },
        { id: other, status: "open" },
      ],
      payments: [{ id: 2, order_id: order, amount: 2 }],
      notes: [],
    });
    names.learn(state(2, 3), state(2, 3), []);
    const comparable = (one: Rows, other: Rows) =>
      new Comparison([]).differences(...names.compare(one, other, () => false));
    expect(comparable(state(2, 3), state(3, 2))).toEqual([]);
    expect(
      comparable(state(2, 3), { ...state(3, 2), payments: [{ id: 2, order_id: 3, amount: 3 }] }),
    ).toHaveLength(1);
  });

  test("do not refer to rows whose drawn ids are equal to a key of their own, a count or a flag by chance", () => {
    const shapes: TableShape[] = [
      { name: "events", key: ["number"], draws: "next", references: [] },
      { name: "accounts", key: ["id"], draws: null, references: [] },
    ];
    const names = new RowNames(shapes, { events: [], accounts: [{ id: 1, events: 0, paid: 0 }] });
    const state = (first: string, second: string): Rows => ({
      events: [
        { number: 1, of: first },
        { number: 2, of: second },
      ],
      accounts: [{ id: 1, events: 2, paid: 1 }],
    });
    names.learn(state("a", "b"), state("a", "b"), []);
    const trees = names.compare(state("a", "b"), state("b", "a"), () => false);
    expect(new Comparison([]).differences(...trees)).toEqual([]);
  });

  test("have drawn UUIDs as keys where two calm runs differ in them", () => {
    const shapes: TableShape[] = SHAPES.map((shape) => ({ ...shape, draws: null, references: [] }));
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
    names.learn(one, other, ["orders.*.id", "payments.*.id", "payments.*.order_id"]);
    expect(new Comparison([]).differences(...names.compare(one, other, () => false))).toEqual([]);
    expect(names.isName("payments.*.order_id")).toBe(true);
  });
});
