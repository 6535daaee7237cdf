import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SEEDED_KEYS } from "../../src/payments/seed/organizations.ts";
import { type Figure, median, pathOf, residentMegabytes, startProgram, timedRun } from "./harness.ts";

const CLI = pathOf("../../dist/cli/main.js");
const BARE = pathOf("./bare-server.mjs");
export const START = [CLI, "start", "--port", "0", "--quiet"];
const ROUNDS = 11;
/** A command takes only a tenth of a second, and its time varies more, so it needs more rounds. */
const COMMAND_ROUNDS = 31;
const headers = { authorization: `Bearer ${SEEDED_KEYS.write}` };

interface Started {
  ms: number;
  megabytes: number;
}

/** Starts a server, waits for its first response, and stops it. */
export async function firstAnswer(args: string[], path: string, cwd?: string): Promise<Started> {
  const started = performance.now();
  const program = await startProgram(args, cwd);
  const answer = await fetch(program.url + path, { headers });
  await answer.text();
  const ms = performance.now() - started;
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  const megabytes = residentMegabytes(program.pid);
  await program.stop();
  return { ms, megabytes };
}

const startOurs = (cwd?: string) => firstAnswer(START, "/platform/api/v1/payment-links?limit=1", cwd);
const startBare = () => firstAnswer([BARE], "/links/pl_7");

/** Runs all the given commands in turn, A B C A B C …, after one round that fills the caches of compiled code. */
export async function inTurn<Name extends string, Value>(
  measures: Record<Name, () => Promise<Value>>,
  count = ROUNDS,
): Promise<Record<Name, Value>[]> {
  const rounds: Record<Name, Value>[] = [];
  for (let round = 0; round <= count; round += 1) {
    const measured: [string, Value][] = [];
    for (const [name, measure] of Object.entries<() => Promise<Value>>(measures))
      measured.push([name, await measure()]);
    if (round > 0) rounds.push(Object.fromEntries(measured) as Record<Name, Value>);
  }
  return rounds;
}

/** A figure in milliseconds: a median, and its ratio to `times` times the median of the baseline. */
export function compare(
  name: string,
  pairs: [ours: number, bare: number][],
  most: number,
  times = 1,
): Figure {
  const ours = median(pairs.map(([ours]) => ours));
  const bare = median(pairs.map(([, bare]) => bare)) * times;
  return { name, unit: "ms", ours, bare, ratio: ours / bare, limit: { most } };
}

/**
 * Measures the time from start to first response, without and with a TypeScript configuration, and the memory used by
 * then.
 */
export async function start(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-bench-"));
  writeFileSync(
    join(folder, "sandbox.config.ts"),
    'import type { SandglassConfig } from "sandglass";\n\nexport default { clock: { mode: "paused" } } satisfies SandglassConfig;\n',
  );
  const rounds = await inTurn({
    ours: () => startOurs(),
    configured: () => startOurs(folder),
    bare: startBare,
  });
  rmSync(folder, { recursive: true });
  const memory = median(rounds.map(({ ours }) => ours.megabytes));
  return [
    compare(
      "start to first answer, of a bare Fastify with better-sqlite3",
      rounds.map(({ ours, bare }) => [ours.ms, bare.ms]),
      1.05,
    ),
    compare(
      "the same with a sandbox.config.ts",
      rounds.map(({ configured, bare }) => [configured.ms, bare.ms]),
      1.1,
    ),
    ...(memory > 0 ? [{ name: "idle memory", unit: "MB", ours: memory, limit: { most: 85 } }] : []),
  ];
}

/** Measures a complete command that calls a running sandbox. */
export async function pay(): Promise<Figure> {
  const program = await startProgram(START);
  const rounds = await inTurn(
    {
      ours: () => timedRun([CLI, "pay", "coffee"], { env: { SANDGLASS_URL: program.url } }),
      bare: () => timedRun(["-e", "0"]),
    },
    COMMAND_ROUNDS,
  );
  await program.stop();
  return compare(
    "sandglass pay coffee, of node -e 0",
    rounds.map(({ ours, bare }) => [ours, bare]),
    2,
  );
}

/** Measures a sandbox that runs for the duration of a command: start, command, stop. */
export async function exec(): Promise<Figure> {
  const rounds = await inTurn({
    ours: () => timedRun([CLI, "exec", "--", "true"]),
    bare: async () => (await startBare()).ms,
  });
  return compare(
    "sandglass exec -- true, of two bare starts",
    rounds.map(({ ours, bare }) => [ours, bare]),
    1.2,
    2,
  );
}

/** Measures a scenario: start, run, report. */
export async function run(): Promise<Figure> {
  const rounds = await inTurn({
    ours: () => timedRun([CLI, "run", "retry-and-recover"]),
    bare: async () => (await startBare()).ms,
  });
  return compare(
    "sandglass run retry-and-recover, of a bare start",
    rounds.map(({ ours, bare }) => [ours, bare]),
    2.5,
  );
}
