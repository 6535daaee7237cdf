/** How many rows are read; comparing more would take longer than any exploration. */
export const MOST_ROWS = 50_000;
/** How long another connection may lock a database. */
export const BUSY_MS = 5_000;
