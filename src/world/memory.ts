/**
 * A world's caches of its rows. Code that caches rows asks the store for one of these, so that nothing outlives the rows it was
 * made from. test/property/memory.test.ts checks it.
 */
export interface Memory {
  /**
   * Values by key, each read at its first use. Undefined is not cached; null is. A rollback forgets all of them if the
   * transaction cached one, and a restore always does.
   */
  remember<Key, Value>(): Remembered<Key, Value | undefined>;
  remember<Key, Value>(read: (key: Key) => Value): Remembered<Key, Value>;
  /** One value, read at its first use. A rollback forgets it if the transaction used it, and a restore always does. */
  memo<Value>(read: () => Value): Memo<Value>;
  /** A value that is not a copy of rows: created at its first use and after each restore. A rollback does not affect it. */
  untilRestore<Value>(make: () => Value): () => Value;
}

export interface Remembered<Key, Value> {
  get(key: Key): Value;
  set(key: Key, value: Exclude<Value, undefined>): void;
  forget(key: Key): void;
  clear(): void;
}

export interface Memo<Value> {
  get(): Value;
  set(value: Value): void;
}

/** The most values of one kind. Beyond that, all are forgotten and read again when needed. */
const MOST_REMEMBERED = 5_000;

/** @param inTransaction tells whether a transaction is open */
export function createMemory(inTransaction: () => boolean) {
  /** All caches: how to clear each, and the latest transaction that may have changed it. */
  const all: { forget: () => void; usedIn: number }[] = [];
  /** Counts the transactions. */
  let transaction = 1;

  /** @returns a function that records that the open transaction, if any, uses it */
  function track(forget: () => void): () => void {
    const tracked = { forget, usedIn: 0 };
    all.push(tracked);
    return () => {
      if (inTransaction()) tracked.usedIn = transaction;
    };
  }

  const memory: Memory = {
    remember<Key, Value>(read?: (key: Key) => Value): Remembered<Key, Value> {
      const values = new Map<Key, Value>();
      const clear = () => values.clear();
      const noteUse = track(clear);
      const set = (key: Key, value: Value) => {
        noteUse();
        if (values.size >= MOST_REMEMBERED) clear();
        values.set(key, value);
      };
      return {
        get(key) {
          const value = values.get(key);
          if (value !== undefined || !read) return value as Value;
          const found = read(key);
          if (found !== undefined) set(key, found);
          return found;
        },
        set,
        forget: (key) => void values.delete(key),
        clear,
      };
    },
    memo<Value>(read: () => Value): Memo<Value> {
      let remembered: { value: Value } | undefined;
      const noteUse = track(() => {
        remembered = undefined;
      });
      const set = (value: Value) => {
        noteUse();
        remembered = { value };
      };
      return {
        get() {
          if (!remembered) set(read());
          else noteUse();
          return remembered!.value;
        },
        set,
      };
    },
    untilRestore<Value>(make: () => Value): () => Value {
      let made: { value: Value } | undefined;
      track(() => {
        made = undefined;
      });
      return () => {
        made ??= { value: make() };
        return made.value;
      };
    },
  };

  return {
    ...memory,
    /** Called when the outermost transaction has ended. */
    settle(committed: boolean): void {
      if (!committed) for (const { forget, usedIn } of all) if (usedIn === transaction) forget();
      transaction += 1;
    },
    /** Called when the rows have been replaced. */
    forgetAll(): void {
      for (const { forget } of all) forget();
    },
  };
}
