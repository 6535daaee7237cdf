/** The maximum number of rows in a typical test database. */
export const TEST_ROWS = 100_000;
export const TEST_BYTES = 100_000_000;

const LOCAL = /^(?:|localhost|127(?:\.\d+){3}|\[::1\]|%2f.*)$/i;

/** Whether a URL points to this machine. */
export const isLocal = (address: string): boolean => LOCAL.test(new URL(address).hostname);
