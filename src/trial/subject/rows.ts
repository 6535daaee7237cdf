import { keyOf, keyText, type Row, RowChanges, type Rows, type TableShape } from "./row-changes.ts";
import { pairRows, type RowNode } from "./row-pairs.ts";

export type { Row, Rows, TableShape };

type Json = unknown;

/** Rows by table and key, as an object; tables without a key are lists. Unchanged rows are omitted. */
type RowTree = Readonly<Record<string, Readonly<Record<string, Row>> | readonly Row[]>>;

type IsLeftOut = (table: string, column: string) => boolean;

/** Makes states of a database comparable. Generated ids are only names, which differ between runs. */
export class RowNames {
  readonly #shapes: readonly TableShape[];
  readonly #changes: RowChanges;
  /** Tables whose keys the server generates. */
  readonly #drawnByServer = new Set<string>();
  /** The table that a column refers to, by `table.*.column`. */
  readonly #references: Map<string, string>;

  /** @param beginning the rows before the first delivery: only later changes are compared */
  constructor(shapes: readonly TableShape[], beginning: Rows) {
    this.#shapes = shapes;
    this.#changes = new RowChanges(shapes, beginning);
    this.#references = new Map(
      shapes.flatMap(({ name, references }) =>
        references.map(({ column, table }) => [columnPath(name, column), table] as const),
      ),
    );
  }

  /** The tables whose new rows have generated keys in some of these states. */
  drawnTables(states: readonly Rows[]): Set<string> {
    const isDrawn = (shape: TableShape): boolean => {
      if (shape.key.length !== 1) return false;
      if (this.#drawnByServer.has(shape.name) || shape.draws === "any") return true;
      // Numbers that the server assigns itself, such as an order's, start at another number.
      return shape.draws !== null && states.some((state) => this.#changes.isNextDrawn(shape, state));
    };
    return new Set(this.#shapes.filter(isDrawn).map(({ name }) => name));
  }

  /** All rows of a state, including unchanged ones. */
  whole(state: Rows): RowTree {
    return Object.fromEntries(
      this.#shapes.map((shape) => [shape.name, byKey(shape, state[shape.name] ?? [])]),
    );
  }

  /**
   * Learns from two calm runs which keys the server generates itself, such as UUIDs, and which columns refer to generated keys
   * without a foreign key.
   * @param differing paths of columns that hold generated ids: `orders.*.id`
   */
  learn(first: Rows, second: Rows, differing: readonly string[]): void {
    for (const { name, key } of this.#shapes)
      if (key.length === 1 && differing.includes(columnPath(name, key[0]!))) this.#drawnByServer.add(name);
    const drawn = this.drawnTables([first, second]);
    const ids = this.#changes.drawnIds(first, drawn);
    for (const shape of this.#shapes) {
      const rows = this.#changes.addedOrChanged(shape, first);
      for (const column of Object.keys(rows[0] ?? {})) {
        const path = columnPath(shape.name, column);
        const isOwnKey = drawn.has(shape.name) && shape.key[0] === column;
        if (this.#references.has(path) || isOwnKey) continue;
        const values = rows.map((row) => row[column]);
        const target = referredTable(column, values, ids);
        if (target !== undefined) this.#references.set(path, target);
      }
    }
  }

  /** Whether a column holds names: a generated key, or a reference to one. */
  isName(path: string): boolean {
    const isDrawn = ({ name, key }: TableShape) =>
      this.#drawnByServer.has(name) && columnPath(name, key[0]!) === path;
    return this.#references.has(path) || this.#shapes.some(isDrawn);
  }

  /**
   * The rows of two states that were added, changed or deleted in either. If renaming generated ids makes the states equal, both
   * trees are the same; otherwise the second one uses the ids of the first one as far as rows correspond.
   */
  compare(one: Rows, other: Rows, isLeftOut: IsLeftOut): [RowTree, RowTree] {
    const nodes = this.#graphOf([one, other], isLeftOut);
    const [left, right] = [nodes(one), nodes(other)];
    const { equal, names } = pairRows(left, right);
    const labels = this.#labelsOf(left);
    const tree = this.#treeOf(left, labels);
    return [tree, equal ? tree : this.#treeOf(right, this.#labelled(names(), labels))];
  }

  /**
   * Returns a function that shows states of a run with the ids of another run.
   * @param model the other run's last state; `last` the last one of this run
   * @returns the trees of two states of this run
   */
  viewer(model: Rows, last: Rows, isLeftOut: IsLeftOut): (one: Rows, other: Rows) => [RowTree, RowTree] {
    const nodes = this.#graphOf([model, last], isLeftOut);
    const modelled = nodes(model);
    const names = this.#labelled(pairRows(modelled, nodes(last)).names(), this.#labelsOf(modelled));
    return (one, other) => {
      const both = this.#graphOf([one, other], isLeftOut);
      return [this.#treeOf(both(one), names), this.#treeOf(both(other), names)];
    };
  }

  /** Labels for rows whose generated keys mean nothing to a person: `orders[0]`. */
  #labelsOf(nodes: readonly RowNode[]): Map<string, string> {
    const drawn = nodes.filter(({ table, isNew }) => isNew && this.#drawnByServer.has(table));
    const tables = Map.groupBy(drawn, ({ table }) => table);
    return new Map(
      [...tables.values()].flatMap((all) => all.map(({ id, table }, index) => [id, label(table, index)])),
    );
  }

  /** Names of rows, with labels in place of generated keys. */
  #labelled(names: ReadonlyMap<string, string>, labels: ReadonlyMap<string, string>): Map<string, string> {
    let more = labels.size;
    return new Map(
      [...names].map(([id, name]) => {
        const table = tableIn(id);
        if (!this.#drawnByServer.has(table)) return [id, name];
        return [id, labels.get(nodeId(table, name)) ?? label(table, more++)];
      }),
    );
  }

  /** Returns a function that turns a state into a graph of the rows that changed in any of these states. */
  #graphOf(states: readonly Rows[], isLeftOut: IsLeftOut): (state: Rows) => RowNode[] {
    const drawn = this.drawnTables(states);
    const touched = new Map(
      this.#shapes.map((shape) => [shape.name, this.#changes.touchedKeys(shape, states)]),
    );
    return (state) => {
      const ids = this.#changes.drawnIds(state, drawn);
      /** The row with a generated id that a column's value refers to; undefined for an ordinary value. */
      const targetOf = (table: string, column: string, value: Json): string | undefined => {
        const target = this.#references.get(columnPath(table, column));
        const isOther = target !== undefined && value !== null && ids.get(target)?.has(String(value));
        return isOther && !isLeftOut(table, column) ? nodeId(target, String(value)) : undefined;
      };
      return this.#shapes.flatMap((shape) => {
        const { name, key } = shape;
        const shown =
          key.length === 0
            ? this.#changes.addedOrChanged(shape, state)
            : (state[name] ?? []).filter((row) => touched.get(name)!.has(keyOf(shape, row)));
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

  /** @param names other names of generated ids, by row */
  #treeOf(nodes: readonly RowNode[], names: ReadonlyMap<string, string>): RowTree {
    const tables = Map.groupBy(nodes, ({ table }) => table);
    return Object.fromEntries(
      this.#shapes.map((shape) => {
        const { name, key } = shape;
        const rows = (tables.get(name) ?? []).map((node) => renamedRow(node, names));
        if (this.#drawnByServer.has(name)) return [name, rows.map(({ [key[0]!]: _label, ...rest }) => rest)];
        return [name, byKey(shape, rows)];
      }),
    );
  }
}

/** Rows by key, or as a list without one. */
const byKey = ({ key }: TableShape, rows: readonly Row[]): RowTree[string] =>
  key.length === 0 ? rows : Object.fromEntries(rows.map((row) => [keyText(key, row), row]));

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

/** Names of columns that refer to rows: `order_id`, `orderId`, `parent_id`; `orderid` if there are orders. */
const REFERS = /^(.+?)_?(?:id|ref|fk)$/i;
const surelyRefers = (column: string): boolean =>
  /_(?:id|ref|fk)$/i.test(column) || /[a-z0-9](?:I[dD]|Ref|Fk)$/.test(column);

/** The table to which all values of a column refer by generated ids; undefined without one. */
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
  // A small number may equal an id by chance, and a column with a plural name may count rows.
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
