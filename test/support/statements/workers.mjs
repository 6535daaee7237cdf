/** What handlers on every database do besides statements. */

/** Repeats work that fails as another transaction was in its way. */
export const retriedOn = (isConflict) =>
  async function retried(work) {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await work();
      } catch (error) {
        if (attempt === 5 || !isConflict(error)) throw error;
      }
  };

/** Does what is open, one after another. @param takeOne does the next one; false for none */
export function createWorker(takeOne) {
  return async function drain() {
    try {
      while (await takeOne());
    } catch {
      // Tried again a little later.
      setTimeout(drain, 20);
    }
  };
}

/** Looks for open work again and again, as a worker in the background does. @param takeOne does the next one; false for none */
export function pollWith(takeOne) {
  let isBusy = false;
  setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      while (await takeOne());
    } catch {
      // Tried again at the next look.
    } finally {
      isBusy = false;
    }
  }, 40);
}
