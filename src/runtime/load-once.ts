/** A part that is loaded when it is first asked for. */
export interface LoadedOnce<T> {
  /** Loads it, or gives what was loaded. After a failure, the next call tries again. */
  get(): Promise<T>;
  /** What was loaded or is being loaded; undefined while it was not asked for. */
  readonly started: Promise<T> | undefined;
  /** What was loaded. */
  readonly loaded: T | undefined;
  /** Loads it again at the next call. */
  forget(): void;
}

/** Remembers what `load` gives, but no failure: a file that could not be read may be there at the next call. */
export function loadOnce<T>(load: () => Promise<T>): LoadedOnce<T> {
  let started: Promise<T> | undefined;
  let loaded: T | undefined;
  const forget = () => {
    started = undefined;
    loaded = undefined;
  };
  async function start(): Promise<T> {
    try {
      loaded = await load();
      return loaded;
    } catch (error) {
      forget();
      throw error;
    }
  }
  return {
    get: () => (started ??= start()),
    get started() {
      return started;
    },
    get loaded() {
      return loaded;
    },
    forget,
  };
}
