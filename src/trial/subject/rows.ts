import { pairRows, type RowNode } from "./row-pairs.ts";

type Json = unknown;

/** What a state of a database is compared by, however long that is. */

/** A row as JSON holds it. */
export type Row = Readonly<Record<string, Json>>;
/** The rows of each table, in the order in which they were written. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

/** How the rows of a table are told apart. */
export interface TableShape {
  name: string;
  /** The columns of the primary key; empty for a table without one. */
  key: readonly string[];
  /**
   * How the database draws the key where a statement gives none: as the number after the last one, or by a sequence or a
   * function. Null if each statement has to give it.
   */
  draws: "next" | "any" | null;
  /** Foreign keys of one column that refer to the key of a table. */
  references: readonly { column: string; table: string }[];
}

/** Rows by table and key, as an object; those of tables without a key are lists. Rows that were there before are left out. */
type RowTree = Readonly<Record<string, Readonly<Record<string, Row>> | readonly Row[]>>;

/** Whether a column does not count. */
type IsLeftOut = (table: string, column: string) => boolean;

/** Makes states of a database comparable. Ids that were drawn are names: those of one run have others in another run. */
export interface RowNames {
  /**
   * Learns by two calm runs which keys the server draws itself, such as UUIDs, and which columns refer to drawn keys without a
   * foreign key.
   * @param differing paths of columns that hold drawn ids: `orders.*.id`
   */
  learn(first: Rows, second: Rows, differing: readonly string[]): void;
  /** Whether the values of a column are names: a key that the server draws, or a reference to a drawn one. */
  isName(path: string): boolean;
  /** The tables whose new rows have drawn keys in some of these states. */
  drawnTables(states: readonly Rows[]): ReadonlySet<string>;
  /** All rows of a state, also those that are as they were before. */
  whole(state: Rows): RowTree;
  /**
   * The rows of two states that were added, changed or deleted in either. If renaming drawn ids makes the states equal, both
   * trees are one; otherwise the second one has the ids of the first one as far as rows correspond.
   */
  compare(one: Rows, other: Rows, isLeftOut: IsLeftOut): [RowTree, RowTree];
  /**
   * Makes what shows states of a run with the ids of another one.
   * @param model the other run's last state; `last` the last one of this run
   * @returns the trees of two states of this run
   */
  viewer(model: Rows, last: Rows, isLeftOut: IsLeftOut): (one: Rows, other: Rows) => [RowTree, RowTree];
}

/** @param beginning the rows before the first delivery: only what differs from them is compared */
export function createRowNames(shapes: readonly TableShape[], beginning: Rows): RowNames {
  const shapeOf = new Map(shapes.map((shape) => [shape.name, shape]));
  const before = new Map(shapes.map((shape) => [shape.name, byKey(shape, beginning[shape.name] ?? [])]));
  /** Tables whose keys the server draws. */
  const drawnByServer = new Set<string>();
  /** The table that a column refers to, by `table.*.column`. */
  const references = new Map(
    shapes.flatMap(({ name, references: all }) =>
      all.map(({ column, table }) => [columnPath(name, column), table] as const),
    ),
  );

  /** States are compared again and again. */
  const changedIn = new WeakMap<readonly Row[], Row[]>();

  function addedOrChanged(shape: TableShape, rows: readonly Row[]): readonly Row[] {
    const changed = changedIn.get(rows) ?? touchedRows(shape, before.get(shape.name)!, rows);
    changedIn.set(rows, changed);
    return changed;
  }

  /** The keys of rows that were added, changed or deleted in one of the states. */
  function touchedKeys(shape: TableShape, states: readonly Rows[]): Set<string> {
    const touched = new Set<string>();
    for (const state of states) {
      const rows = state[shape.name] ?? [];
      for (const row of addedOrChanged(shape, rows)) touched.add(keyOf(shape, row));
      const now = new Set(rows.map((row) => keyOf(shape, row)));
      for (const key of before.get(shape.name)!.keys()) if (!now.has(key)) touched.add(key);
    }
    return touched;
  }

  /** Whether a table's keys are names that were drawn. */
  function isDrawn(shape: TableShape, states: readonly Rows[]): boolean {
    if (shape.key.length !== 1) return false;
    if (drawnByServer.has(shape.name) || shape.draws === "any") return true;
    if (shape.draws === null) return false;
    const column = shape.key[0]!;
    const last = Math.max(0, ...(beginning[shape.name] ?? []).map((row) => Number(row[column])));
    // Numbers that the server gives itself, such as an order's, begin elsewhere.
    return states.some((state) => {
      const added = (state[shape.name] ?? []).filter(
        (row) => !before.get(shape.name)!.has(keyOf(shape, row)),
      );
      return Math.min(...added.map((row) => Number(row[column]))) === last + 1;
    });
  }

  /** The ids that were drawn in a state, by their tables. */
  function drawnIds(state: Rows, drawn: ReadonlySet<string>): Map<string, Set<string>> {
    return new Map(
      [...drawn].map((name) => {
        const shape = shapeOf.get(name)!;
        const keys = (state[name] ?? []).map((row) => keyOf(shape, row));
        return [name, new Set(keys.filter((key) => !before.get(name)!.has(key)))];
      }),
    );
  }

  const drawnTables = (states: readonly Rows[]): Set<string> =>
    new Set(shapes.filter((shape) => isDrawn(shape, states)).map(({ name }) => name));

  return {
    drawnTables,
    whole: (state) =>
      Object.fromEntries(
        shapes.map(({ name, key }) => {
          const rows = state[name] ?? [];
          return [
            name,
            key.length === 0 ? rows : Object.fromEntries(rows.map((row) => [keyText(key, row), row])),
          ];
        }),
      ),
    learn(first, second, differing) {
      for (const { name, key } of shapes)
        if (key.length === 1 && differing.includes(columnPath(name, key[0]!))) drawnByServer.add(name);
      const drawn = drawnTables([first, second]);
      const ids = drawnIds(first, drawn);
      for (const shape of shapes) {
        const rows = addedOrChanged(shape, first[shape.name] ?? []);
        for (const column of Object.keys(rows[0] ?? {})) {
          const path = columnPath(shape.name, column);
          const isOwnKey = drawn.has(shape.name) && shape.key[0] === column;
          if (references.has(path) || isOwnKey) continue;
          const target = referredTable(
            column,
            rows.map((row) => row[column]),
            ids,
          );
          if (target !== undefined) references.set(path, target);
        }
      }
    },
    isName: (path) =>
      references.has(path) ||
      shapes.some(({ name, key }) => drawnByServer.has(name) && columnPath(name, key[0]!) === path),
    compare(one, other, isLeftOut) {
      const nodes = graphOf([one, other], isLeftOut);
      const [left, right] = [nodes(one), nodes(other)];
      const { equal, names } = pairRows(left, right);
      const labels = labelsOf(left);
      const tree = treeOf(left, labels);
      return [tree, equal ? tree : treeOf(right, labelled(names(), labels))];
    },
    viewer(model, last, isLeftOut) {
      const nodes = graphOf([model, last], isLeftOut);
      const modelled = nodes(model);
      const names = labelled(pairRows(modelled, nodes(last)).names(), labelsOf(modelled));
      return (one, other) => {
        const both = graphOf([one, other], isLeftOut);
        return [treeOf(both(one), names), treeOf(both(other), names)];
      };
    },
  };

  /** What rows are called whose keys say nothing to a person, as the server draws them: `orders[0]`. */
  function labelsOf(nodes: readonly RowNode[]): Map<string, string> {
    const drawn = nodes.filter(({ table, isNew }) => isNew && drawnByServer.has(table));
    const tables = Map.groupBy(drawn, ({ table }) => table);
    return new Map(
      [...tables.values()].flatMap((all) => all.map(({ id, table }, index) => [id, label(table, index)])),
    );
  }

  /** Names of rows, with labels for those keys. */
  function labelled(
    names: ReadonlyMap<string, string>,
    labels: ReadonlyMap<string, string>,
  ): Map<string, string> {
    let more = labels.size;
    return new Map(
      [...names].map(([id, name]) => {
        const table = tableIn(id);
        if (!drawnByServer.has(table)) return [id, name];
        return [id, labels.get(nodeId(table, name)) ?? label(table, more++)];
      }),
    );
  }

  /** Makes what takes states as graphs, with the rows that were added, changed or deleted in one of these states. */
  function graphOf(states: readonly Rows[], isLeftOut: IsLeftOut): (state: Rows) => RowNode[] {
    const drawn = drawnTables(states);
    const touched = new Map(shapes.map((shape) => [shape.name, touchedKeys(shape, states)]));
    return (state) => {
      const ids = drawnIds(state, drawn);
      /** The row with a drawn id that a value of a column refers to; undefined for a value that stands for itself. */
      const targetOf = (table: string, column: string, value: Json): string | undefined => {
        const target = references.get(columnPath(table, column));
        const isOther = target !== undefined && value !== null && ids.get(target)?.has(String(value));
        return isOther && !isLeftOut(table, column) ? nodeId(target, String(value)) : undefined;
      };
      return shapes.flatMap((shape) => {
        const { name, key } = shape;
        const rows = state[name] ?? [];
        const shown =
          key.length === 0
            ? addedOrChanged(shape, rows)
            : rows.filter((row) => touched.get(name)!.has(keyOf(shape, row)));
        return shown.map((row, index): RowNode => {
          const own = key.length === 0 ? String(index) : keyOf(shape, row);
          const isNew = ids.get(name)?.has(own) === true;
          const links = Object.entries(row).flatMap(([column, value]) => {
            const target = targetOf(name, column, value);
            return target === undefined ? [] : [{ column, target }];
          });
          const linked = new Set(links.map(({ column }) => column));
          const values = Object.entries(row).filter(
            ([column]) => !linked.has(column) && !isLeftOut(name, column) && !(isNew && column === key[0]),
          );
          const isFixed = key.length > 0 && !isNew && !key.some((column) => linked.has(column));
          return { id: nodeId(name, own), table: name, row, key, isNew, isFixed, links, values };
        });
      });
    };
  }

  /** @param names other names of drawn ids, by row */
  function treeOf(nodes: readonly RowNode[], names: ReadonlyMap<string, string>): RowTree {
    const tables = Map.groupBy(nodes, ({ table }) => table);
    return Object.fromEntries(
      shapes.map(({ name, key }) => {
        const rows = (tables.get(name) ?? []).map((node) => renamedRow(node, names));
        if (drawnByServer.has(name)) return [name, rows.map(({ [key[0]!]: _label, ...rest }) => rest)];
        return [
          name,
          key.length === 0 ? rows : Object.fromEntries(rows.map((row) => [keyText(key, row), row])),
        ];
      }),
    );
  }
}

function renamedRow({ id, row, key, isNew, links }: RowNode, names: ReadonlyMap<string, string>): Row {
  const named = [...links, ...(isNew ? [{ column: key[0]!, target: id }] : [])].flatMap(
    ({ column, target }) => {
      const name = names.get(target);
      return name === undefined ? [] : [[column, typeof row[column] === "number" ? Number(name) : name]];
    },
  );
  return { ...row, ...Object.fromEntries(named) };
}

export const columnPath = (table: string, column: string): string => `${table}.*.${column}`;

const nodeId = (table: string, key: string): string => `${table}\0${key}`;
const tableIn = (id: string): string => id.slice(0, id.indexOf("\0"));
const label = (table: string, index: number): string => `${table}[${index}]`;

const keyText = (key: readonly string[], row: Row): string =>
  key.map((column) => String(row[column])).join(",");

/** What tells a row from the others of its table: its key, or all of it. */
const keyOf = ({ key }: TableShape, row: Row): string =>
  key.length > 0 ? keyText(key, row) : JSON.stringify(row);

/** Rows by their keys, and how often there are equal ones without a key. */
function byKey(shape: TableShape, rows: readonly Row[]): Map<string, { text: string; count: number }> {
  const all = new Map<string, { text: string; count: number }>();
  for (const row of rows) {
    const key = keyOf(shape, row);
    all.set(key, { text: JSON.stringify(row), count: (all.get(key)?.count ?? 0) + 1 });
  }
  return all;
}

/** The rows of a state that were not there before, or are different now. */
function touchedRows(
  shape: TableShape,
  before: ReadonlyMap<string, { text: string; count: number }>,
  rows: readonly Row[],
): Row[] {
  const seen = new Map<string, number>();
  return rows.filter((row) => {
    const key = keyOf(shape, row);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    const old = before.get(key);
    return old === undefined || old.text !== JSON.stringify(row) || count > old.count;
  });
}

/** Names of columns that refer to rows: `order_id`, `orderId`, `parent_id`; `orderid` if there are orders. */
const REFERS = /^(.+?)_?(?:id|ref|fk)$/i;
const surelyRefers = (column: string): boolean =>
  /_(?:id|ref|fk)$/i.test(column) || /[a-z0-9](?:I[dD]|Ref|Fk)$/.test(column);

/** The table whose drawn ids all values of a column are; undefined if there is none. */
function referredTable(
  column: string,
  values: readonly Json[],
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  const given = values.filter((value) => value !== null);
  if (given.length === 0) return undefined;
  const fitting = [...ids]
    .filter(([, all]) => given.every((value) => all.has(String(value))))
    .map(([name]) => name);
  const [, stem] = REFERS.exec(column) ?? [];
  // A small number may be equal to an id by chance, and a column in the plural may count rows.
  const isSure =
    given.every((value) => typeof value === "string" && !/^\d+$/.test(value)) || surelyRefers(column);
  const name = stem ?? (isSure || !/s$/i.test(column) ? column : undefined);
  const named = name === undefined ? undefined : fitting.find((table) => isNamedAfter(name, table));
  return named ?? (isSure ? fitting[0] : undefined);
}

/** Whether `order` or `lastOrder` is named after `orders` or `shop_orders`. */
function isNamedAfter(stem: string, table: string): boolean {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  const one = plain(table).replace(/ies$/, "y").replace(/s$/, "");
  return stem !== "" && (plain(stem).endsWith(one) || one.endsWith(plain(stem).replace(/s$/, "")));
}
