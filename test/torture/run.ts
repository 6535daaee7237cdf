import { parseArgs } from "node:util";
import { clients } from "./clients/part.ts";
import { disk } from "./disk.ts";
import { explorations } from "./explorations.ts";
import { Finding } from "./finding.ts";
import { kills } from "./kill/part.ts";
import { load } from "./load.ts";
import type { Part } from "./part.ts";
import { requests } from "./requests/part.ts";
import { soak } from "./soak.ts";
import { TORTURE_DATABASES, type TortureDatabase } from "./statement-databases.ts";
import { statements, workers } from "./statements.ts";
import { trials } from "./trials.ts";

const PARTS: readonly Part[] = [
  ...[requests, kills, soak, clients, load, disk, explorations, trials, statements, workers],
];

const USAGE = `npm run torture -- [part…] [--seed text] [--count n] [--duration seconds] [--database postgres|mysql] [--at-once n]

Parts, with what CI does of each when --count is left out:
${PARTS.map(({ name, about, unit, ciCount }) => `  ${name.padEnd(12)}${about} (${ciCount} ${unit})`).join("\n")}

A failure prints the part, the seed and the smallest thing that shows it again. Without a part, all run.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string" },
    duration: { type: "string" },
    replay: { type: "string" },
    database: { type: "string", default: "postgres" },
    "at-once": { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

function number(name: string, text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  process.stderr.write(`--${name} takes a number above 0, not '${text}'.\n\n${USAGE}`);
  process.exit(2);
}

const unknown = positionals.find((name) => !PARTS.some((part) => part.name === name));
if (values.help || unknown !== undefined) {
  process.stdout.write(unknown === undefined ? USAGE : `There is no part '${unknown}'.\n\n${USAGE}`);
  process.exit(unknown === undefined ? 0 : 2);
}

if (!(values.database in TORTURE_DATABASES)) {
  process.stderr.write(`--database takes postgres or mysql, not '${values.database}'.\n\n${USAGE}`);
  process.exit(2);
}
const database = values.database as TortureDatabase;

const atOnce = values["at-once"] === undefined ? undefined : number("at-once", values["at-once"]);

const chosen = positionals.length === 0 ? PARTS : PARTS.filter(({ name }) => positionals.includes(name));
for (const part of chosen) {
  const { seed } = values;
  const count = values.count === undefined ? part.ciCount : number("count", values.count);
  const duration = values.duration === undefined ? Infinity : 1_000 * number("duration", values.duration);
  const started = performance.now();
  const show = (line: string) => process.stdout.write(`${line}\n`);
  show(`${part.name}: ${part.about} (seed ${seed})`);
  try {
    const progress = (line: string) => show(`  … ${line}`);
    const figures = await part.run({
      seed,
      count,
      duration,
      replay: values.replay,
      database,
      atOnce,
      progress,
    });
    for (const [name, value] of Object.entries(figures)) show(`  ${name}: ${value}`);
    show(`  took ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    show(`FAILED: ${part.name}, seed ${seed}, --count ${count}: ${error.message}`);
    for (const line of error.reproduce) show(`  ${line}`);
    process.exit(1);
  }
}
process.exit(0);
