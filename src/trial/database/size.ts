/** The most rows that a test database has. */
export const TEST_ROWS = 100_000;
export const TEST_BYTES = 100_000_000;

const LOCAL = /^(?:|localhost|127(?:\.\d+){3}|\[::1\]|%2f.*)$/i;

/** Whether an address leads to this machine. */
export const isLocal = (address: string): boolean => LOCAL.test(new URL(address).hostname);
