import { afterAll, beforeAll, describe, it } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import type { Kind } from "../support/statements/shop.ts";
import { expectFound } from "./statements.ts";

/** How wrong handlers are found: the deviation, and what the finding says of it. Interleavings are in trial/statements.test.ts. */
const FOUND: readonly [kind: Kind, deviation: RegExp, why: RegExp][] = [
  ["look-then-insert", /^interleave$/, /unique index on events/],
  ["swallowed-error", /^db-error$/, /answers 2xx although a statement failed/],
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
