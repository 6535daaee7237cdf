import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { exploreHandler } from "../support/statements/explore.ts";
import type { Kind } from "../support/statements/shop.ts";

/** How each wrong handler is found: the deviation, and what the finding says of it. */
const FOUND: readonly [kind: Kind, deviation: RegExp, why: RegExp, flags?: { instances: string }][] = [
  ["look-then-insert", /^crash$/, /killed before statement 3/],
  [
    "look-then-insert-in-transaction",
    /^interleave$/,
    /looked before either inserted: a unique index on events/,
  ],
  ["id-first", /^crash$/, /killed before statement 2/],
  ["mail-before-id", /^crash$/, /killed before statement 3/],
  ["swallowed-error", /^db-error$/, /answers 2xx although a statement failed/],
  ["lost-update", /^interleave-(?:next|slow)$/, /accounts/],
  ["answer-first", /^db-error$/, /answers 2xx although a statement failed/],
  ["ids-in-memory", /^(?:crash-after|resend|answer-lost)$/, /order\.paid/, { instances: "2" }],
  ["job-taken-twice", /^interleave$/, /jobs|mails/],
];

describe.skipIf(!hasPostgres())("a handler on Postgres, whose statements are seen", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it.each(FOUND)("is found wrong with one deviation: %s", async (kind, deviation, why, flags) => {
    const survey = await exploreHandler(server, { kind, driver: "pg", ...(flags && { flags }) });
    const { finding } = survey.explorations[0]!;
    expect(finding?.run.schedule).toEqual([
      expect.objectContaining({ kind: expect.stringMatching(deviation) }),
    ]);
    expect(finding?.why).toMatch(why);
  });
});
