/** The maximum number of rows to read; comparing more would take longer than any exploration. */
export const MOST_ROWS = 50_000;
/** How long to wait for another connection's lock, in real milliseconds. */
export const BUSY_MS = 5_000;
/** What to do about a lock that was held for longer. A trial cannot see whose connection holds it. */
export const LOCKED = `Another connection held a lock for ${BUSY_MS / 1000} s. If it is your server's, one of its requests has not ended its transaction, or hangs: its log may show which.`;
