import { expect } from "vitest";
import type { SubjectFlags } from "../../src/cli/trial/subject.ts";
import { weaveOf } from "../../src/trial/findings/weave.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { exploreHandler } from "../support/statements/explore.ts";
import type { Kind } from "../support/statements/shop.ts";

/** Expects explore to find a bug with one deviation, and checks what the finding says. */
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
  if (!/^interleave/.test(finding!.run.schedule[0]!.kind)) return;
  // The finding shows the statements of both deliveries in separate columns.
  const columns = weaveOf(finding!.run)!.rows.flatMap(({ statement, column }) => (statement ? column : []));
  expect([columns[0], new Set(columns)]).toEqual([0, new Set([0, 1])]);
}
