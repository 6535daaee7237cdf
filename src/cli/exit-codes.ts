/** Exit codes besides 0: something failed, was used wrongly, has no verdict, or was stopped. */
export const FAILED = 1;
export const MISUSE = 2;
export const UNKNOWN = 3;
export const STOPPED = 130;

/** The exit code of each result. */
export const CODES = { failed: FAILED, unknown: UNKNOWN, passed: 0 };
