/** The maximum number of rows to read; comparing more would take longer than any exploration. */
export const MOST_ROWS = 50_000;
/** How long to wait for another connection's lock, in real milliseconds. */
export const BUSY_MS = 5_000;
