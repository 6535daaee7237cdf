import { isDeepStrictEqual } from "node:util";
import { otherWords, type Tables, tellUser } from "../database/tables.ts";
import type { Row, Rows, TableShape } from "../subject/rows.ts";
import type { Json } from "../subject/state.ts";
import type { Subject } from "../subject/subscriber.ts";
import type { SenderCalls } from "./sender-calls.ts";

/** The state of the server under test, and which of its changes other programs made. */
export interface WatchedState {
  /** Where the state is read from, without a password. */
  shown: string;
  /** Reads the state to compare. @throws SandboxError `unreachable`, `invalid_state` */
  read(): Promise<Json>;
  /** Sends a request that may change the state. */
  around<Result>(send: () => Promise<Result>): Promise<Result>;
  /** Whether a request was sent since `end`. */
  isOpen(): boolean;
  /**
   * Ends the changes by requests.
   * @returns whether tables changed that no event changed before: another event of the kind shows who changed them
   * @throws SandboxError `invalid_state` if another program changed a compared table, or the server does not use its copy
   */
  end(): Promise<boolean>;
  /** Logs the changes that other programs made. */
  logOthers(): void;
}

/** Watches a state; tables are copied first. @param calls whose effects belong to it @throws SandboxError as `openTables` */
export async function watchState(subject: Subject, calls?: SenderCalls): Promise<WatchedState> {
  const tables = await subject.tables?.();
  if (tables) await subject.reset();
  const state = tables ? await watchTables(tables, subject) : watchOther(subject);
  return calls ? { ...state, read: async () => calls.addTo(await state.read()) } : state;
}

function watchOther({ stateUrl, state }: Subject): WatchedState {
  let isOpen = false;
  return {
    ...{ shown: stateUrl!, read: state, logOthers: () => undefined },
    around(send) {
      isOpen = true;
      return send();
    },
    isOpen: () => isOpen,
    async end() {
      isOpen = false;
      return false;
    },
  };
}

/**
 * Watches the tables of a database. Tables that two events have changed are the server's: they are compared and restored. Other
 * changes are another program's, unless another event of the same kind makes them again.
 */
async function watchTables(tables: Tables, { stateUrl, checkCopy }: Subject): Promise<WatchedState> {
  await tables.claim([]);
  const shapes = await tables.shapes();
  const readRows = async () => (await tables.read()) as Rows;
  /** Tables that the first event changed, and tables that events change. */
  let first: string[] | undefined;
  let claimed: Set<string> | undefined;
  /** Tables that changed once, and tables that did not change again. */
  let doubtful: readonly string[] = [];
  const others = new Set<string>();
  /** The rows before the first request in progress. */
  let opening: Promise<Rows> | undefined;

  async function begin(): Promise<Rows> {
    await tables.begin();
    return readRows();
  }

  async function claim(names: readonly string[]): Promise<void> {
    claimed = new Set([...(claimed ?? []), ...names]);
    await tables.claim(names);
  }

  /** @returns the tables whose owner is still unknown */
  async function judge(changed: readonly string[]): Promise<readonly string[]> {
    if (claimed === undefined) {
      if (first === undefined) {
        if (changed.length > 0) first = [...changed];
        return [];
      }
      const both = changed.filter((name) => first!.includes(name));
      await claim(both.length > 0 ? both : first);
    } else {
      const unknown = changed.filter((name) => !claimed!.has(name) && !others.has(name));
      if (doubtful.length === 0 && unknown.length > 0) return unknown;
      await claim(unknown.filter((name) => doubtful.includes(name)));
      for (const name of doubtful) if (!claimed.has(name)) others.add(name);
    }
    await tables.release();
    return [];
  }

  return {
    shown: stateUrl!,
    read: async () => treeOf(await readRows(), shapes, claimed),
    isOpen: () => opening !== undefined,
    async around(send) {
      opening ??= begin();
      await opening;
      try {
        return await send();
      } finally {
        // A server may lock the database. Its changes so far are then noted later.
        await tables.note().catch(() => undefined);
      }
    },
    async end() {
      const before = await opening!;
      opening = undefined;
      await tables.end();
      if (first === undefined) await checkCopy?.();
      const now = await readRows();
      const changed = Object.keys(now).filter((name) => !isDeepStrictEqual(now[name], before[name]));
      doubtful = await judge(changed);
      return doubtful.length > 0;
    },
    logOthers() {
      for (const change of tables.others) tellUser(`${otherWords(change)}, which stays.`);
    },
  };
}

/** Rows by their keys, without random values, which would differ between any two rows. Rows without a key form a list. */
function treeOf(rows: Rows, shapes: readonly TableShape[], only: ReadonlySet<string> | undefined): Json {
  const chosen = shapes.filter(({ name }) => rows[name] && (only?.has(name) ?? true));
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
