import { closedError } from "./database.ts";

/** Runs work on a world sequentially. */
export interface Queue {
  /** @throws SandboxError `invalid_state` if the world is closed before the work completes */
  add<T>(work: () => Promise<T>): Promise<T>;
  /** Whether work is queued or in progress. */
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
