import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chance } from "./chance.ts";
import type { TortureDatabase } from "./statement-databases.ts";

export interface PartOptions {
  seed: string;
  /** How much to do: the number of requests, kills, virtual days, idle connections or rounds. */
  count: number;
  /** The time in real milliseconds after which it ends, whether or not everything is done. */
  duration: number;
  /** A file with requests to send again instead of generating some. */
  replay?: string | undefined;
  /** The database for handlers with observed statements; by default, Postgres. */
  database?: TortureDatabase | undefined;
  /** How many explorations run at the same time. One process explores little faster with more than a few. */
  atOnce?: number | undefined;
  /** Called from time to time with a line that reports progress. */
  progress: (line: string) => void;
}

/** The figures that a part measured, in the order in which they are printed. */
export type Figures = Record<string, string | number>;

/** One kind of torture test. `run` throws a Finding if something happens that must not happen. */
export interface Part {
  name: string;
  about: string;
  /** The unit in which `count` is measured, and its value in CI. */
  unit: string;
  ciCount: number;
  run(options: PartOptions): Promise<Figures>;
}

/** The things that a part works with: its own random numbers, and a folder that is removed unless the part fails. */
export interface Bench extends PartOptions {
  chance: Chance;
  folder: string;
  /** Whether there is still time and work left. */
  goesOn(done: number): boolean;
}

/** Runs `work` with everything that a part needs. */
export async function withBench<T>(
  part: string,
  options: PartOptions,
  work: (bench: Bench) => Promise<T>,
): Promise<T> {
  const until = performance.now() + options.duration;
  const folder = mkdtempSync(join(tmpdir(), `sandglass-torture-${part}-`));
  const result = await work({
    ...options,
    chance: new Chance(`${options.seed}/${part}`),
    folder,
    goesOn: (done) => done < options.count && performance.now() < until,
  });
  rmSync(folder, { recursive: true, force: true });
  return result;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
