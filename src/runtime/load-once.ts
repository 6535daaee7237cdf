export interface LoadedOnce<T> {
  /** Returns the value, loading it on the first call. After a failure, the next call tries again. */
  get(): Promise<T>;
  /** The promise for the value; undefined before the first use. */
  readonly started: Promise<T> | undefined;
  /** Makes the next call load the value again. */
  forget(): void;
}

/** Caches the result of `load`. Failures are not cached, because a missing file may exist by the next call. */
export function loadOnce<T>(load: () => Promise<T>): LoadedOnce<T> {
  let started: Promise<T> | undefined;
  const forget = () => {
    started = undefined;
  };
  async function start(): Promise<T> {
    try {
      return await load();
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
    forget,
  };
}
