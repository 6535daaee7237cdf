import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveConfig } from "../../src/config/config.ts";
import { serve } from "../../src/server/serve.ts";
import { type Figure, median, timed } from "./harness.ts";
import { compare, firstAnswer, inTurn, START } from "./start.ts";

const ROUNDS = 25;
const MOST = 1.2;

const FIXTURES = {
  history: "default",
  products: [{ name: "Tea", amount: "2500000" }],
  payment_links: Array.from({ length: 50 }, (_, index) => ({
    name: `Link ${index}`,
    short_code: `own${String(index).padStart(3, "0")}`,
    product: "Tea",
  })),
};

/**
 * Measures how long it takes to start a sandbox or open a world from cached fixtures or from a cached scenario,
 * compared with plain ones.
 */
export async function beginnings(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-bench-"));
  const cache = process.env.SANDGLASS_CACHE;
  process.env.SANDGLASS_CACHE = join(folder, "cache");
  const fixtures = join(folder, "fixtures.json");
  writeFileSync(fixtures, JSON.stringify(FIXTURES));
  const path = "/platform/api/v1/payment-links?limit=1";
  try {
    const rounds = await inTurn({
      fixtures: () => firstAnswer([...START, "--from", fixtures], path),
      scenario: () => firstAnswer([...START, "--from", "retry-and-recover"], path),
      plain: () => firstAnswer(START, path),
    });
    const start = (name: "fixtures" | "scenario") =>
      compare(
        `second start from ${name}, of a plain one`,
        rounds.map((round) => [round[name].ms, round.plain.ms]),
        MOST,
      );
    return [start("fixtures"), start("scenario"), await furtherWorld(fixtures)];
  } finally {
    if (cache === undefined) delete process.env.SANDGLASS_CACHE;
    else process.env.SANDGLASS_CACHE = cache;
    rmSync(folder, { recursive: true });
  }
}

/** Opens another world on a server whose worlds start from fixtures. */
async function furtherWorld(from: string): Promise<Figure> {
  const clock = { mode: "paused" } as const;
  const own = await serve(resolveConfig({ port: 0, clock, from }, 0));
  const plain = await serve(resolveConfig({ port: 0, clock }, 0));
  const times: { own: number[]; plain: number[] } = { own: [], plain: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.own.push(await timed(() => own.worlds.create({ name: "made" })));
    times.plain.push(await timed(() => plain.worlds.create({ name: "made" })));
    own.worlds.remove("made");
    plain.worlds.remove("made");
  }
  await own.close();
  await plain.close();
  const [ours, bare] = [median(times.own), median(times.plain)];
  return {
    name: "a further world from fixtures, of a plain one",
    unit: "ms",
    ours,
    bare,
    ratio: ours / bare,
    limit: { most: MOST },
  };
}
