import { afterAll, beforeAll, describe, it } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import type { Kind } from "../support/statements/shop.ts";
import { expectFound } from "./statements.ts";

/** How each wrong handler is found: the deviation, and what the finding says of it. */
const FOUND: readonly [kind: Kind, deviation: RegExp, why: RegExp, flags?: { instances: string }][] = [
  ["look-then-insert", /^crash$/, /killed before statement 3/],
  [
    "look-then-insert-in-transaction",
    /^interleave$/,
    /looked before either inserted: a unique index on events/,
  ],
  ["swallowed-error", /^db-error$/, /answers 2xx although a statement failed/],
  ["ids-in-memory", /^(?:crash-after|resend|answer-lost)$/, /order\.paid/, { instances: "2" }],
];

describe.skipIf(!hasPostgres())("a handler on Postgres, whose statements are seen", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it.each(FOUND)("is found wrong with one deviation: %s", (kind, deviation, why, flags) =>
    expectFound(server, { kind, deviation, why, ...(flags && { flags }) }),
  );
});
