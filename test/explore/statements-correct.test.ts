import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { surveyVerdict } from "../../src/trial/findings/verdict.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { exploreHandler } from "../support/statements/explore.ts";
import { CORRECT } from "../support/statements/shop.ts";

describe.skipIf(!hasPostgres())("a correct handler on Postgres, interrupted at each statement", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it.each(CORRECT.map((kind, index) => [kind, index % 2 === 0 ? "pg" : "postgres"] as const))(
    "is not found wrong: %s with %s",
    async (kind, driver) => {
      const survey = await exploreHandler(server, { kind, driver });
      expect(survey.explorations[0]?.finding?.why).toBeUndefined();
      expect(surveyVerdict(survey)).toBe("nothing_found");
    },
  );
});
