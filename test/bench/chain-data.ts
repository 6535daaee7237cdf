import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareRates, type Figure, median, pathOf, startMeasured, timed } from "./harness.ts";

const CLI = pathOf("../../dist/cli/main.js");
const BARE = pathOf("./bare-bytes.mjs");
/** Holds 123 tokens, which are three pages upstream and here. */
const COLLECTOR = "0xcb110a2b20b969f9870b5373faeb05ce2ee0a225";
const LOOKUP = "/data/insights/v1/tokens/lookup?symbol=USDC&chain_id=1&chain_id=8453";
const LISTING = `/data/explorer/addresses/${COLLECTOR}/tokens`;
const MISSES = 40;

/** Cached answers of the chain-data area against the same bytes, and what a miss costs on top of a hit. */
export async function chainData(): Promise<Figure[]> {
  const ours = await startMeasured([CLI, "start", "--port", "0", "--quiet"]);
  const folder = mkdtempSync(join(tmpdir(), "sandglass-bench-"));
  const figures: Figure[] = [];
  for (const [name, path] of [
    ["a cached lookup", LOOKUP],
    ["a cached page of a listing", LISTING],
  ] as const) {
    const file = join(folder, "bytes.json");
    writeFileSync(file, await (await fetch(ours.url + path)).text());
    const bare = await startMeasured([BARE, file]);
    const rates = await compareRates(
      [ours, { method: "GET", path }],
      [bare, { method: "GET", path: "/bytes" }],
    );
    await bare.stop();
    figures.push({
      name: `${name}, of a bare Fastify route with its bytes`,
      ...rates,
      limit: { least: 0.5 },
    });
  }
  for (const [name, path] of [
    ["a lookup", LOOKUP],
    ["a listing", LISTING],
  ] as const)
    figures.push({
      name: `what a miss of ${name} adds to a hit`,
      unit: "ms",
      ours: await addedByMiss(ours.url, path),
      limit: { most: 15 },
    });
  rmSync(folder, { recursive: true });
  await ours.stop();
  return figures;
}

/** Milliseconds at the median, over upstreams that are replayed. */
async function addedByMiss(url: string, path: string): Promise<number> {
  const added: number[] = [];
  const get = () => timed(async () => (await fetch(url + path)).text());
  for (let round = 0; round < MISSES; round += 1) {
    await fetch(`${url}/_sandbox/data/cache`, { method: "DELETE" });
    const miss = await get();
    added.push(miss - (await get()));
  }
  return median(added);
}
