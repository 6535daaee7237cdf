import type { Row, Rows, TableShape } from "../database/dialect.ts";
import { keyOf, keyText, RowChanges } from "./row-changes.ts";
import { countsIn, referredTable } from "./row-columns.ts";
import { pairRows, type RowNode } from "./row-pairs.ts";

/** Rows grouped by table and key, as an object; tables without a key are lists. Unchanged rows are omitted. */
type RowTree = Readonly<Record<string, Readonly<Record<string, Row>> | readonly Row[]>>;

type IsLeftOut = (table: string, column: string) => boolean;

/** Makes states of a database comparable. Generated ids and row numbers are only names, which differ between runs. */
export class RowNames {
  readonly #shapes: readonly TableShape[];
  readonly #isOrdered: (table: string) => boolean;
  #changes: RowChanges;
  /** Key columns whose values the server generates, keyed by table. */
  readonly #drawnByServer = new Map<string, Set<string>>();
  /** Columns that count the rows of a group, keyed by table. */
  readonly #counts = new Map<string, Set<string>>();
  /** The table that a column refers to, keyed by `table.*.column`. */
  readonly #references: Map<string, string>;

  /**
   * @param beginning the rows before the first delivery: only later changes are compared
   * @param isOrdered whether the order of a table's rows is compared
   */
  constructor(
    shapes: readonly TableShape[],
    beginning: Rows,
    isOrdered: (table: string) => boolean = () => false,
  ) {
    this.#shapes = shapes;
    this.#isOrdered = isOrdered;
    this.#changes = new RowChanges(shapes, beginning);
    this.#references = new Map(
      shapes.flatMap(({ name, references }) =>
        references.map(({ column, table }) => [columnPath(name, column), table] as const),
      ),
    );
  }

  /** From now on, treats these rows as the ones from before the first delivery. */
  begin(beginning: Rows): void {
    this.#changes = new RowChanges(this.#shapes, beginning);
  }

  /** The tables whose new rows have generated names as keys, or as part of them, in some of these states. */
  namedTables(states: readonly Rows[]): Set<string> {
    const drawn = this.#drawnTables(states);
    const isNamed = ({ name, key }: TableShape) => key.some((one) => this.#namesIn(name, drawn).has(one));
    return new Set(this.#shapes.flatMap((shape) => (isNamed(shape) ? shape.name : [])));
  }

  /** The tables whose new rows have a generated single-column key in some of these states. */
  #drawnTables(states: readonly Rows[]): Set<string> {
    const isDrawn = (shape: TableShape): boolean => {
      if (shape.key.length !== 1) return false;
      if (this.#drawnByServer.has(shape.name) || shape.draws === "any") return true;
      // Numbers that the server itself assigns, such as order numbers, start at a different value.
      return shape.draws !== null && states.some((state) => this.#changes.isNextDrawn(shape, state));
    };
    return new Set(this.#shapes.filter(isDrawn).map(({ name }) => name));
  }

  /** The columns of a table that serve only as names in new rows. */
  #namesIn(table: string, drawn: ReadonlySet<string>): Set<string> {
    const own = drawn.has(table) ? this.#shapes.find(({ name }) => name === table)!.key : [];
    return new Set([...own, ...(this.#drawnByServer.get(table) ?? []), ...(this.#counts.get(table) ?? [])]);
  }

  /** All rows of a state, including unchanged ones. */
  whole(state: Rows): RowTree {
    return Object.fromEntries(
      this.#shapes.map((shape) => [shape.name, byKey(shape, state[shape.name] ?? [])]),
    );
  }

  /**
   * Learns from two calm runs which keys the server itself generates, such as UUIDs, which columns refer to generated
   * keys without a foreign key, and which ones only count rows.
   * @param differs whether a column varies between identical runs
   */
  learn(first: Rows, second: Rows, differs: (table: string, column: string) => boolean): void {
    for (const { name, key } of this.#shapes) {
      const own = key.filter((column) => differs(name, column));
      if (own.length > 0) this.#drawnByServer.set(name, new Set(own));
    }
    const drawn = this.#drawnTables([first, second]);
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
      const counts = countsIn(
        shape,
        first[shape.name] ?? [],
        (row) => !this.#changes.isAdded(shape, row),
        (column) => this.#references.has(columnPath(shape.name, column)),
      );
      if (!this.#isOrdered(shape.name) && counts.length > 0)
        this.#counts.set(shape.name, new Set([...(this.#counts.get(shape.name) ?? []), ...counts]));
    }
  }

  /**
   * Whether a column contains names: a key that the server generates, a reference to a generated key, or a number of a
   * row.
   */
  isName(table: string, column: string): boolean {
    return (
      this.#references.has(columnPath(table, column)) ||
      this.#drawnByServer.get(table)?.has(column) === true ||
      this.#counts.get(table)?.has(column) === true
    );
  }

  /**
   * The rows of two states that were added, changed or deleted in either one. If renaming generated ids makes the states
   * equal, both trees are identical; otherwise the second tree uses the first one's ids where rows correspond.
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
   * @param model the other run's last state
   * @param last this run's last state
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

  /** The key of a table whose rows can be referred to. */
  #keyOf = (table: string): string => this.#shapes.find(({ name }) => name === table)!.key[0]!;

  #isLabelled = ({ table, key, names }: RowNode): boolean =>
    key.length === 1 && names.length > 0 && this.#drawnByServer.has(table);

  /** Labels for rows whose generated keys would mean nothing to a person: `orders[0]`. */
  #labelsOf(nodes: readonly RowNode[]): Map<string, Row> {
    const tables = Map.groupBy(nodes.filter(this.#isLabelled), ({ table }) => table);
    return new Map(
      [...tables.values()].flatMap((all) =>
        all.map(({ id, table, key }, index) => [id, { [key[0]!]: label(table, index) }]),
      ),
    );
  }

  /** Row names, with labels instead of generated keys. */
  #labelled(names: ReadonlyMap<string, Row>, labels: ReadonlyMap<string, Row>): Map<string, Row> {
    let more = labels.size;
    return new Map(
      [...names].map(([id, row]) => {
        const table = tableIn(id);
        const key = this.#keyOf(table);
        if (!this.#drawnByServer.has(table) || !(key in row)) return [id, row];
        const known = labels.get(nodeId(table, String(row[key])));
        return [id, { ...row, ...(known ?? { [key]: label(table, more++) }) }];
      }),
    );
  }

  /** Returns a function that turns a state into a graph of the rows that changed in any of these states. */
  #graphOf(states: readonly Rows[], isLeftOut: IsLeftOut): (state: Rows) => RowNode[] {
    const drawn = this.#drawnTables(states);
    const touched = new Map(
      this.#shapes.map((shape) => [shape.name, this.#changes.touchedKeys(shape, states)]),
    );
    return (state) => {
      const ids = this.#changes.drawnIds(state, drawn);
      /** The row with a generated id that a column's value refers to; undefined for an ordinary value. */
      const targetOf = (table: string, column: string, value: unknown): string | undefined => {
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
        const own = [...this.#namesIn(name, drawn)];
        return shown.map((row, index): RowNode => {
          const id = key.length === 0 ? String(index) : keyOf(shape, row);
          const names = this.#changes.isAdded(shape, row) ? own : [];
          const links = Object.entries(row).flatMap(([column, value]) => {
            const target = targetOf(name, column, value);
            return target === undefined ? [] : [{ column, target }];
          });
          const apart = new Set([...names, ...links.map(({ column }) => column)]);
          const values = Object.entries(row).filter(
            ([column]) => !apart.has(column) && !isLeftOut(name, column),
          );
          if (this.#isList(shape) && this.#isOrdered(name)) values.push(["", index]);
          const isFixed = key.length > 0 && !key.some((column) => apart.has(column));
          return { id: nodeId(name, id), table: name, row, key, names, isFixed, links, values };
        });
      });
    };
  }

  /**
   * Whether rows are listed without their keys, because the keys mean nothing to a person or because the order of the
   * rows matters.
   */
  #isList = ({ name, key, draws }: TableShape): boolean =>
    key.length === 0 ||
    this.#drawnByServer.has(name) ||
    (draws !== null && key.length === 1 && this.#isOrdered(name));

  /** @param names replacement names of rows */
  #treeOf(nodes: readonly RowNode[], names: ReadonlyMap<string, Row>): RowTree {
    const tables = Map.groupBy(nodes, ({ table }) => table);
    return Object.fromEntries(
      this.#shapes.map((shape) => {
        const { name, key } = shape;
        const rows = (tables.get(name) ?? []).map((node) => this.#renamed(node, names));
        if (!this.#isList(shape)) return [name, byKey(shape, rows)];
        const left = this.#drawnByServer.get(name) ?? new Set(key);
        return [name, rows.map((row) => without(row, left))];
      }),
    );
  }

  #renamed({ id, row, links }: RowNode, names: ReadonlyMap<string, Row>): Row {
    const linked = links.flatMap(({ column, target }) => {
      const name = names.get(target)?.[this.#keyOf(tableIn(target))];
      if (name === undefined) return [];
      return [[column, typeof row[column] === "number" ? Number(name) : String(name)]];
    });
    return { ...row, ...names.get(id), ...Object.fromEntries(linked) };
  }
}

const without = (row: Row, columns: ReadonlySet<string>): Row =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.has(column)));

/** Rows by key, or as a list if there is no key. */
const byKey = ({ key }: TableShape, rows: readonly Row[]): RowTree[string] =>
  key.length === 0 ? rows : Object.fromEntries(rows.map((row) => [keyText(key, row), row]));

const columnPath = (table: string, column: string): string => `${table}.*.${column}`;

const nodeId = (table: string, key: string): string => `${table}\0${key}`;
const tableIn = (id: string): string => id.slice(0, id.indexOf("\0"));
const label = (table: string, index: number): string => `${table}[${index}]`;
