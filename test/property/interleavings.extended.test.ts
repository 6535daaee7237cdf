import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { EXPLORED, openExplorer } from "../support/statements/explore-drawn.ts";
import { drawn, openBruteForce } from "../support/statements/interleavings.ts";

/** So many handlers are drawn in the suite, always the same ones; the torture draws others. */
const RUNS = 3;
const SEED = 232;

describe.skipIf(!hasPostgres())("random handlers on Postgres", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it("explore reports a random handler exactly if some interleaving or failure is wrong on Postgres", async () => {
    const [brute, explorer] = [await openBruteForce(server), await openExplorer(server)];
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
            seen[verdict.wrong === "interleaved" ? "wrong when interleaved" : "wrong one after the other"] +=
              1;
        }),
        { numRuns: RUNS, seed: SEED, endOnFailure: true },
      );
    } finally {
      await brute.close();
      await explorer.close();
    }
    for (const [what, times] of Object.entries(seen)) expect.soft(times, what).toBeGreaterThan(0);
  });
});
