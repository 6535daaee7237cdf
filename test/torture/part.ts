import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chance } from "./chance.ts";
import type { TortureDatabase } from "./statement-databases.ts";

export interface PartOptions {
  seed: string;
  /** How much of it: requests, kills, virtual days, idle connections or rounds. */
  count: number;
  /** Real milliseconds after which it ends, however much was done. */
  duration: number;
  /** A file with requests to send again, instead of making some. */
  replay?: string | undefined;
  /** The database of handlers whose statements are seen; Postgres by default. */
  database?: TortureDatabase | undefined;
  /** Gets a line of progress now and then. */
  progress: (line: string) => void;
}

/** What a part measured, in the order in which it is printed. */
export type Figures = Record<string, string | number>;

/** One kind of torture. `run` throws a Finding where something happens that must not. */
export interface Part {
  name: string;
  about: string;
  /** What `count` counts, and how many CI does. */
  unit: string;
  ciCount: number;
  run(options: PartOptions): Promise<Figures>;
}

/** What a part works with: its own chance, and a folder that is removed unless the part fails. */
export interface Bench extends PartOptions {
  chance: Chance;
  folder: string;
  /** Whether there is still time and something to do. */
  goesOn(done: number): boolean;
}

/** Runs `work` with what every part needs. */
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
