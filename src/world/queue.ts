import { closedError } from "./database.ts";

/** Work on a world that must not overlap: each begins once the one before it has ended. */
export interface Queue {
  /** @throws SandboxError `invalid_state` if the world is closed before the work has ended */
  add<T>(work: () => Promise<T>): Promise<T>;
  /** Whether work waits or is in progress. */
  readonly busy: boolean;
}

export function createQueue(isClosed: () => boolean): Queue {
  let last: Promise<unknown> = Promise.resolve();
  let queued = 0;

  return {
    add<T>(work: () => Promise<T>) {
      queued += 1;
      const result = last.then(async () => {
        try {
          if (isClosed()) throw closedError();
          return await work();
        } catch (error) {
          throw isClosed() ? closedError() : error;
        } finally {
          queued -= 1;
        }
      });
      last = result.catch(() => undefined);
      return result;
    },
    get busy() {
      return queued > 0;
    },
  };
}
