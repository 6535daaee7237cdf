import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { surveyVerdict } from "../../src/trial/findings/verdict.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { exploreHandler } from "../support/statements/explore.ts";
import { CORRECT, hasDriver, type Kind, ORM_KINDS, OTHER_DRIVERS } from "../support/statements/shop.ts";
import { expectFound } from "./statements.ts";

/** Handlers whose bugs are found by the first deviations in statements.test.ts. */
const FOUND: readonly [kind: Kind, deviation: RegExp, why: RegExp, flags?: { instances: string }][] = [
  [
    "look-then-insert-in-transaction",
    /^interleave$/,
    /checked before either inserted: a unique index on events/,
  ],
  ["id-first", /^db-error$/, /order\.paid/],
  ["mail-before-id", /^interleave$/, /order\.paid|before either/],
  ["insert-if-absent", /^interleave$/, /before either had committed.* a unique index on events\(id\)/],
  ["update-from-select", /^interleave-next$/, /read accounts before either had committed its change/],
  ["lost-update", /^interleave-(?:next|slow)$/, /accounts/],
  ["answer-first", /^db-error$/, /responds with 2xx although a statement failed/],
  ["ids-in-memory", /^(?:crash-after|resend|answer-lost)$/, /order\.paid/, { instances: "2" }],
  ["job-taken-twice", /^interleave$/, /jobs|mails/],
];

describe.skipIf(!hasPostgres())("a Postgres handler whose statements are visible", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it.each(FOUND)(
    "explore finds the bug in the Postgres handler %s with one deviation",
    (kind, deviation, why, flags) => expectFound(server, { kind, deviation, why, ...(flags && { flags }) }),
  );

  it.each(CORRECT.map((kind, index) => [kind, index % 2 === 0 ? "pg" : "postgres"] as const))(
    "explore finds nothing wrong in the correct Postgres handler %s with %s",
    async (kind, driver) => {
      const survey = await exploreHandler(server, { kind, driver });
      expect(survey.explorations[0]?.finding?.why).toBeUndefined();
      expect(surveyVerdict(survey)).toBe("nothing_found");
    },
  );

  for (const driver of OTHER_DRIVERS)
    it.skipIf(!hasDriver(driver))(
      `explore sees and interleaves the Postgres statements of ${driver}`,
      async () => {
        const wrong = await exploreHandler(server, { kind: ORM_KINDS.wrong, driver });
        expect(wrong.explorations[0]?.finding?.run.schedule).toMatchObject([{ kind: "interleave" }]);
        const correct = await exploreHandler(server, { kind: ORM_KINDS.correct, driver });
        expect(correct.explorations[0]?.finding?.why).toBeUndefined();
        expect(surveyVerdict(correct)).toBe("nothing_found");
      },
    );
});
