import { afterAll, beforeAll, describe, it } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import type { Kind } from "../support/statements/shop.ts";
import { expectFound } from "./statements.ts";

/**
 * Tests how bugs in handlers are found: by which deviation, and what the finding says about it.
 * trial/statements.test.ts covers interleavings.
 */
const FOUND: readonly [kind: Kind, deviation: RegExp, why: RegExp][] = [
  ["look-then-insert", /^interleave$/, /unique index on events/],
  ["swallowed-error", /^db-error$/, /responds with 2xx although a statement failed/],
];

describe.skipIf(!hasPostgres())("a Postgres handler whose statements are visible", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it.each(FOUND)(
    "explore finds the bug in the Postgres handler %s with one deviation",
    (kind, deviation, why) => expectFound(server, { kind, deviation, why }),
  );
});
