import { expect } from "vitest";
import type { SubjectFlags } from "../../src/cli/trial/subject.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { exploreHandler } from "../support/statements/explore.ts";
import type { Kind } from "../support/statements/shop.ts";

/** Expects that a wrong handler is found with one deviation, and what the finding says of it. */
export async function expectFound(
  server: PostgresServer,
  { kind, deviation, why, flags }: { kind: Kind; deviation: RegExp; why: RegExp; flags?: SubjectFlags },
): Promise<void> {
  const survey = await exploreHandler(server, { kind, driver: "pg", ...(flags && { flags }) });
  const { finding } = survey.explorations[0]!;
  expect(finding?.run.schedule).toEqual([
    expect.objectContaining({ kind: expect.stringMatching(deviation) }),
  ]);
  expect(finding?.why).toMatch(why);
}
