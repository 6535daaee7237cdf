import Database from "better-sqlite3";
import { resolveConfig } from "../../src/config/config.ts";
import { serve } from "../../src/server/serve.ts";
import { type Figure, median, pathOf, residentMegabytes, startProgram, timed } from "./harness.ts";

const CLI = pathOf("../../dist/cli/main.js");
const ROUNDS = 25;
const MANY = 500;

/**
 * Measures creating, restoring and forking worlds with the default seed, compared with copying the same bytes in
 * SQLite.
 */
export async function worlds(): Promise<Figure[]> {
  const {
    worlds: all,
    sandbox,
    close,
  } = await serve(resolveConfig({ port: 0, clock: { mode: "paused" } }, 0));
  const bytes = await sandbox.snapshot();
  const times: Record<"made" | "restored" | "forked" | "bare", number[]> = {
    made: [],
    restored: [],
    forked: [],
    bare: [],
  };
  const source = new Database(bytes);
  for (let round = 0; round < ROUNDS; round += 1) {
    times.made.push(await timed(() => all.create({ name: "made" })));
    times.restored.push(await timed(() => sandbox.restore(bytes, "bench")));
    times.forked.push(await timed(() => all.create({ name: "forked", from: "default" })));
    times.bare.push(await timed(() => new Database(source.serialize()).close()));
    all.remove("made");
    all.remove("forked");
  }
  await close();
  const bare = median(times.bare);
  const figure = (name: string, measured: number[], most: number): Figure[] => [
    { name, unit: "ms", ours: median(measured), limit: { most } },
    {
      name: `${name}, against serialize and open`,
      unit: "ms",
      ours: median(measured),
      bare,
      ratio: median(measured) / bare,
      limit: { most: 3 },
    },
  ];
  return [
    ...figure("a new world of the default seed", times.made, 5),
    ...figure("a world restored", times.restored, 5),
    ...figure("a world forked", times.forked, 8),
    await manyWorlds(),
  ];
}

async function manyWorlds(): Promise<Figure> {
  const program = await startProgram([CLI, "start", "--port", "0", "--quiet"]);
  for (let index = 0; index < MANY; index += 1)
    await (
      await fetch(`${program.url}/_sandbox/worlds`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: `world-${index}` }),
      })
    ).text();
  const ours = residentMegabytes(program.pid);
  await program.stop();
  return { name: `memory of ${MANY} worlds`, unit: "MB", ours, limit: { most: 600 } };
}
