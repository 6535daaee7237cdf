/** What handlers do in addition to their statements, whatever the database. */

/** Repeats work that fails because of a conflict with another transaction. */
export const retriedOn = (isConflict) =>
  async function retried(work) {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await work();
      } catch (error) {
        if (attempt === 5 || !isConflict(error)) throw error;
      }
  };

/**
 * Does the pending work, one item after another.
 * @param takeOne does the next item; returns false if there is none
 */
export function createWorker(takeOne) {
  return async function drain() {
    try {
      while (await takeOne());
    } catch {
      // Try again a little later.
      setTimeout(drain, 20);
    }
  };
}

/**
 * Checks for pending work repeatedly, like a background worker.
 * @param takeOne does the next item; returns false if there is none
 */
export function pollWith(takeOne) {
  let isBusy = false;
  setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      while (await takeOne());
    } catch {
      // Try again at the next check.
    } finally {
      isBusy = false;
    }
  }, 40);
}
