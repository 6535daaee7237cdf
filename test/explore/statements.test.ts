import { afterAll, beforeAll, describe, it } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import type { Kind } from "../support/statements/shop.ts";
import { expectFound } from "./statements.ts";

/** How wrong handlers are found: the deviation, and what the finding says of it. Interleavings are in trial/statements.test.ts. */
const FOUND: readonly [kind: Kind, deviation: RegExp, why: RegExp][] = [
  ["look-then-insert", /^interleave$/, /unique index on events/],
  ["swallowed-error", /^db-error$/, /responds with 2xx although a statement failed/],
];

describe.skipIf(!hasPostgres())("a handler on Postgres, whose statements are seen", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it.each(FOUND)("explore finds a Postgres handler with one deviation: %s", (kind, deviation, why) =>
    expectFound(server, { kind, deviation, why }),
  );
});
