import { describe, expect, it } from "vitest";
import { surveyVerdict } from "../../src/trial/findings/verdict.ts";
import { hasMariadb } from "../support/mariadb.ts";
import {
  CORRECT,
  DRIVERS,
  exploreHandler,
  hasDriver,
  type Kind,
  ORM_KINDS,
  OTHER_DRIVERS,
  WRONG,
} from "../support/statements/mysql/shop.ts";
import { serveMariadb } from "../trial/mariadb.ts";

const flagsOf = (kind: Kind) => kind === "ids-in-memory" && { flags: { instances: "2" } };

describe.runIf(hasMariadb())("explore with a MariaDB handler whose statements are visible", () => {
  const server = serveMariadb();
  const explore = (kind: Kind, driver: string) =>
    exploreHandler(server(), { kind, driver, ...flagsOf(kind) });

  async function expectCorrect(kind: Kind, driver: string): Promise<void> {
    const survey = await explore(kind, driver);
    expect(survey.explorations[0]?.finding?.why).toBeUndefined();
    expect(surveyVerdict(survey)).toBe("nothing_found");
  }

  it.each(WRONG)("explore finds the bug in the MariaDB handler %s with one deviation", async (kind) => {
    const { explorations } = await explore(kind, "mysql2");
    expect(explorations[0]?.finding?.run.schedule).toHaveLength(1);
  });

  it("explore finds a lost update at the same statement each time because no deleted row leaves a gap lock behind", async () => {
    const points = new Set<unknown>();
    for (let round = 0; round < 4; round += 1) {
      const { explorations } = await explore("lost-update", "mysql2");
      points.add(JSON.stringify(explorations[0]?.finding?.run.schedule));
    }
    expect([...points]).toEqual([expect.stringMatching(/interleave-next.*"number":4/)]);
  });

  it.each(CORRECT.map((kind, index) => [kind, DRIVERS[index % DRIVERS.length]!] as const))(
    "explore finds nothing wrong in the correct MariaDB handler %s with %s",
    expectCorrect,
  );

  for (const driver of OTHER_DRIVERS)
    it.skipIf(!hasDriver(driver))(`explore sees each statement that ${driver} sends to MariaDB`, async () => {
      const { explorations } = await explore(ORM_KINDS.wrong, driver);
      expect(explorations[0]?.finding?.run.schedule).toMatchObject([{ kind: "interleave" }]);
      await expectCorrect(ORM_KINDS.correct, driver);
    });
});
