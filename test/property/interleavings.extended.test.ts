import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasMariadb, startMariadb } from "../support/mariadb.ts";
import { hasPostgres, startPostgres } from "../support/postgres.ts";
import { MARIADB, POSTGRES } from "../support/statements/engines.ts";
import { EXPLORED, openExplorer } from "../support/statements/explore-drawn.ts";
import { drawn, openBruteForce } from "../support/statements/interleavings.ts";

/** How many handlers this suite generates. It always generates the same ones; the torture test generates others. */
const RUNS = 3;

const DATABASES = [
  { name: "Postgres", engine: POSTGRES, start: startPostgres, isThere: hasPostgres(), seed: 232 },
  { name: "MariaDB", engine: MARIADB, start: startMariadb, isThere: hasMariadb(), seed: 232 },
];

describe.each(DATABASES)("random handlers on $name", ({ name, engine, start, isThere, seed }) => {
  let server: { url: string; close(): Promise<void> };
  beforeAll(async () => {
    if (isThere) server = await start();
  });
  afterAll(() => server?.close());

  it.skipIf(!isThere)(
    `explore reports a random handler if and only if some interleaving or failure breaks it on ${name}`,
    async () => {
      const [brute, explorer] = [
        await openBruteForce(server.url, engine),
        await openExplorer(server.url, engine),
      ];
      const seen = {
        "wrong one after the other": 0,
        "wrong when interleaved": 0,
        blocked: 0,
        clean: 0,
        "not neighbours": 0,
      };
      let round = 0;
      try {
        await fc.assert(
          fc.asyncProperty(drawn, async (made) => {
            round += 1;
            const story = EXPLORED[round % EXPLORED.length]!;
            const verdict = await brute.judge(made);
            const found = await explorer.explore(made, story);
            expect(found).toBe(verdict.wrong === null ? "nothing_found" : "found");
            if (story === "two-customers") seen["not neighbours"] += 1;
            if (verdict.hasBlocked) seen.blocked += 1;
            if (verdict.wrong === null) seen.clean += 1;
            else
              seen[
                verdict.wrong === "interleaved" ? "wrong when interleaved" : "wrong one after the other"
              ] += 1;
          }),
          { numRuns: RUNS, seed, endOnFailure: true },
        );
      } finally {
        await brute.close();
        await explorer.close();
      }
      for (const [what, times] of Object.entries(seen)) expect.soft(times, what).toBeGreaterThan(0);
    },
  );
});
