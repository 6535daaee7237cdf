/** Rejects as soon as the signal aborts, even if the work continues. */
export function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  // The work may still reject after the caller has stopped waiting for it.
  work.catch(() => undefined);
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
