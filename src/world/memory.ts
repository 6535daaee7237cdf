/**
 * A world's row caches. All code that caches rows must use these, so that nothing outlives the rows it was made from.
 * test/property/memory.test.ts verifies this.
 */
export interface Memory {
  /**
   * Values by key, each read on first use. Undefined is not cached; null is. A rollback clears the cache if the
   * transaction added to it, and a restore always clears it.
   */
  remember<Key, Value>(): Remembered<Key, Value | undefined>;
  remember<Key, Value>(read: (key: Key) => Value): Remembered<Key, Value>;
  /** One value, read on first use. A rollback clears it if the transaction used it, and a restore always clears it. */
  memo<Value>(read: () => Value): Memo<Value>;
  /** A value that does not mirror rows: created on first use and after each restore. A rollback does not affect it. */
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

/** The maximum size of one cache. Beyond that, it is cleared and refilled as needed. */
const MOST_REMEMBERED = 5_000;

/** @param inTransaction returns whether a transaction is open */
export function createMemory(inTransaction: () => boolean) {
  /** All caches: how to clear each, and the latest transaction that may have changed it. */
  const all: { forget: () => void; usedIn: number }[] = [];
  /** Counts the transactions. */
  let transaction = 1;

  /** @returns a function that records that the open transaction, if any, uses the cache */
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
