/** A point of a handler: a round trip to its database. */
export interface StatementPoint {
  /** Which statement of its delivery it is, from 1. */
  number: number;
  /** Its text, with `?` for each literal. */
  text: string;
  /** Which of the statements with this text it is, from 1. */
  occurrence: number;
}

/** The deviations at a point, by their names: `crash@2.3` is at statement 3 of attempt 2 of the run. */
export const AT_STATEMENTS = [
  ...["crash-before", "crash-after", "db-error", "db-error-lost", "db-error-conflict"],
  ...["interleave", "interleave-next", "interleave-slow"],
] as const;
