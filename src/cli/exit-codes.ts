/**
 * Nonzero exit codes: something failed, the command line was wrong, there is no verdict, or the command was stopped.
 */
export const FAILED = 1;
export const MISUSE = 2;
export const UNKNOWN = 3;
export const STOPPED = 130;

/** The exit code for each result. */
export const CODES = { failed: FAILED, unknown: UNKNOWN, passed: 0 };
