import type { Row, Rows, TableShape } from "../database/dialect.ts";
import type { Tables } from "../database/tables.ts";
import type { EffectReader } from "../subject/effects.ts";
import type { Json } from "../subject/state.ts";
import type { SubjectState } from "../subject/subject-state.ts";

/** The state of the server under test. */
export interface WatchedState {
  /** The state's source, without passwords. */
  shown: string;
  /** Reads the state to compare. @throws SandboxError `unreachable`, `invalid_state` */
  read(): Promise<Json>;
  /** Wraps a request that may change the state. */
  around<Result>(send: () => Promise<Result>): Promise<Result>;
  /** Whether a request was sent since the last `end`. */
  isOpen(): boolean;
  /**
   * Marks the end of changes by requests.
   * @throws SandboxError `invalid_state` if another program changes tables, or the server does not use its copy
   */
  end(): Promise<void>;
}

/** Watches a state, including effects of API calls. Tables are copied first. @throws SandboxError like `openTables` */
export async function watchState(
  state: SubjectState,
  { addTo }: Pick<EffectReader, "addTo">,
): Promise<WatchedState> {
  const tables = await state.tables?.();
  if (tables) await state.reset();
  const watched = tables ? await watchTables(tables, state) : watchOther(state);
  return { ...watched, read: async () => addTo(await watched.read()) };
}

function watchOther({ source, read }: SubjectState): WatchedState {
  let isOpen = false;
  return {
    ...{ shown: source!, read },
    around(send) {
      isOpen = true;
      return send();
    },
    isOpen: () => isOpen,
    async end() {
      isOpen = false;
    },
  };
}

async function watchTables(tables: Tables, { source, checkCopy }: SubjectState): Promise<WatchedState> {
  const shapes = await tables.shapes();
  let opening: Promise<void> | undefined;
  let isChecked = false;
  return {
    shown: source!,
    read: async () => treeOf(await tables.read(), shapes),
    isOpen: () => opening !== undefined,
    async around(send) {
      opening ??= tables.begin();
      await opening;
      return send();
    },
    async end() {
      opening = undefined;
      await tables.end();
      if (!isChecked) await checkCopy?.();
      isChecked = true;
    },
  };
}

/** Rows by key, without random values, which would differ between any two rows. Rows without a key form a list. */
function treeOf(rows: Rows, shapes: readonly TableShape[]): Json {
  const chosen = shapes.filter(({ name }) => rows[name]);
  return Object.fromEntries(
    chosen.map(({ name, key, draws, references }) => {
      const drawn = new Set([...(draws ? key : []), ...references.map(({ column }) => column)]);
      const shownRow = (row: Row) =>
        Object.fromEntries(Object.entries(row).filter(([column]) => !drawn.has(column)));
      const keyOf = (row: Row) => JSON.stringify(key.map((column) => row[column]));
      const all = rows[name]!;
      return [
        name,
        key.length === 0 ? all : Object.fromEntries(all.map((row) => [keyOf(row), shownRow(row)])),
      ];
    }),
  );
}
