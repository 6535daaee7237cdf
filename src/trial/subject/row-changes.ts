import type { Row, Rows, TableShape } from "../database/dialect.ts";

/** Finds the rows that differ from those before the first delivery. */
export class RowChanges {
  readonly #shapes: readonly TableShape[];
  readonly #beginning: Rows;
  /** The earlier rows as text, keyed by table and key, with the number of identical rows if there is no key. */
  readonly #before: Map<string, Map<string, { text: string; count: number }>>;
  /** A cache, because the same states are compared many times. */
  readonly #changedIn = new WeakMap<readonly Row[], Row[]>();

  /** @param beginning the rows before the first delivery */
  constructor(shapes: readonly TableShape[], beginning: Rows) {
    this.#shapes = shapes;
    this.#beginning = beginning;
    this.#before = new Map(
      shapes.map((shape) => {
        const all = new Map<string, { text: string; count: number }>();
        for (const row of beginning[shape.name] ?? []) {
          const key = keyOf(shape, row);
          all.set(key, { text: JSON.stringify(row), count: (all.get(key)?.count ?? 0) + 1 });
        }
        return [shape.name, all];
      }),
    );
  }

  addedOrChanged(shape: TableShape, state: Rows): readonly Row[] {
    const rows = state[shape.name] ?? [];
    const seen = new Map<string, number>();
    const changed =
      this.#changedIn.get(rows) ??
      rows.filter((row) => {
        const key = keyOf(shape, row);
        const count = (seen.get(key) ?? 0) + 1;
        seen.set(key, count);
        const old = this.#before.get(shape.name)!.get(key);
        return old === undefined || count > old.count || old.text !== JSON.stringify(row);
      });
    this.#changedIn.set(rows, changed);
    return changed;
  }

  /** The keys of rows that were added, changed or deleted in one of the states. */
  touchedKeys(shape: TableShape, states: readonly Rows[]): Set<string> {
    const touched = new Set<string>();
    for (const state of states) {
      for (const row of this.addedOrChanged(shape, state)) touched.add(keyOf(shape, row));
      const now = new Set((state[shape.name] ?? []).map((row) => keyOf(shape, row)));
      for (const key of this.#before.get(shape.name)!.keys()) if (!now.has(key)) touched.add(key);
    }
    return touched;
  }

  /** Whether the numbers of a state's new rows continue after the last one. */
  isNextDrawn(shape: TableShape, state: Rows): boolean {
    const numberOf = (row: Row) => Number(row[shape.key[0]!]);
    const last = Math.max(0, ...(this.#beginning[shape.name] ?? []).map(numberOf));
    return Math.min(...this.#added(shape, state).map(numberOf)) === last + 1;
  }

  /** The ids that were generated in a state, keyed by table. @param drawn the tables with generated keys */
  drawnIds(state: Rows, drawn: ReadonlySet<string>): Map<string, Set<string>> {
    const tables = this.#shapes.filter(({ name }) => drawn.has(name));
    const idsIn = (shape: TableShape) => this.#added(shape, state).map((row) => keyOf(shape, row));
    return new Map(tables.map((shape) => [shape.name, new Set(idsIn(shape))]));
  }

  isAdded = (shape: TableShape, row: Row): boolean => !this.#before.get(shape.name)!.has(keyOf(shape, row));

  #added = (shape: TableShape, state: Rows): Row[] =>
    (state[shape.name] ?? []).filter((row) => this.isAdded(shape, row));
}

export const keyText = (key: readonly string[], row: Row): string =>
  key.map((column) => String(row[column])).join(",");

/** Identifies a row in its table: by its key, or by its content. */
export const keyOf = ({ key }: TableShape, row: Row): string =>
  key.length > 0 ? keyText(key, row) : JSON.stringify(row);
