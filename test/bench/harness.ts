import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One figure: ours against the bare thing, both measured in this run, and what it must keep to. */
export interface Figure {
  name: string;
  ours: number;
  bare?: number;
  unit: string;
  /** What the limit is about; `ours` without it. */
  ratio?: number;
  /** What the wall clock says of the same, where the figure is CPU time. */
  wall?: { ours: number; bare: number; unit: string };
  limit: { least?: number; most?: number };
}

export const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** A file beside this one; the bench runs from the checkout's root, as npm starts it. */
export function pathOf(name: string): string {
  return join(process.cwd(), "test/bench", name);
}

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** A server program that runs. */
export interface Program {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

/**
 * Starts a server program; resolves with the URL that it prints in its first line.
 * @param cwd away from any config file without it
 */
export async function startProgram(args: string[], cwd = tmpdir()): Promise<Program> {
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });

  children.add(child);
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout!.once("data", (data: Buffer) => resolve(data.toString()));
    child.once("exit", (code) => reject(new Error(`${child.spawnargs.join(" ")} ended with code ${code}`)));
  });
  const url = /http:\/\/[^"\s/]+/.exec(line)![0];
  const stop = () =>
    new Promise<void>((resolve) => {
      children.delete(child);
      child.removeAllListeners("exit").once("exit", () => resolve());
      child.kill("SIGKILL");
    });
  return { url, pid: child.pid!, stop };
}

/** What a program does in a while: calls in a second, and its CPU time for each, in microseconds. */
interface Rate {
  perSecond: number;
  cpuMicros: number;
}

/** The medians of pairs; the ratio is the median of theirs, and above 1 where ours takes less CPU time. */
export function summary(pairs: [ours: Rate, bare: Rate][], unit: string): Omit<Figure, "name" | "limit"> {
  return {
    unit: "µs of CPU",
    ours: median(pairs.map(([ours]) => ours.cpuMicros)),
    bare: median(pairs.map(([, bare]) => bare.cpuMicros)),
    ratio: median(pairs.map(([ours, bare]) => bare.cpuMicros / ours.cpuMicros)),
    wall: {
      unit,
      ours: median(pairs.map(([ours]) => ours.perSecond)),
      bare: median(pairs.map(([, bare]) => bare.perSecond)),
    },
  };
}

/** Times `count` operations of this process. */
export async function rateOf(count: number, work: () => unknown): Promise<Rate> {
  const before = process.cpuUsage();
  const ms = await timed(work);
  const { user, system } = process.cpuUsage(before);
  return { perSecond: (count / ms) * 1_000, cpuMicros: (user + system) / count };
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Milliseconds that a whole run of `node` with these arguments takes; it must end well. */
export function timedRun(args: string[], { cwd = tmpdir(), env = {} } = {}): Promise<number> {
  return timed(
    () =>
      new Promise<void>((resolve, reject) => {
        const child = spawn(process.execPath, args, {
          cwd,
          env: { ...process.env, ...env },
          stdio: "ignore",
        });
        child.once("error", reject);
        child.once("exit", (code) =>
          code === 0 ? resolve() : reject(new Error(`node ${args.join(" ")} ended with ${code}`)),
        );
      }),
  );
}

/** Resident memory of a process, where the system tells it. */
export function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}
