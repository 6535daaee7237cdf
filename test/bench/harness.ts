import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";

/**
 * One figure: our value, the value of a baseline, both measured in this run, and the limit.
 */
export interface Figure {
  name: string;
  ours: number;
  bare?: number;
  unit: string;
  /** The value to which the limit applies; by default, `ours`. */
  ratio?: number;
  /** The same values as measured by the wall clock, if the figure is CPU time. */
  wall?: { ours: number; bare: number; unit: string };
  limit: { least?: number; most?: number };
}

export const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** The path of a file in this folder. npm starts the benchmark in the root of the checkout. */
export function pathOf(name: string): string {
  return join(process.cwd(), "test/bench", name);
}

const children = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

/** A server program that is running. */
export interface Program {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

/** A program that reports how much CPU time it has used, in milliseconds. */
export interface MeasuredProgram extends Program {
  cpu: () => Promise<number>;
}

/**
 * Starts a server program. Resolves with the URL that it prints on its first line.
 * @param cwd the working directory; by default, one without a config file
 */
export async function startProgram(args: string[], cwd = tmpdir()): Promise<Program> {
  return running(spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] }));
}

/** Like `startProgram`, for a program whose CPU time is to be measured. */
export async function startMeasured(args: string[]): Promise<MeasuredProgram> {
  const child = spawn(process.execPath, ["--import", pathOf("./report-cpu.mjs"), ...args], {
    cwd: tmpdir(),
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const cpu = () =>
    new Promise<number>((resolve) => {
      child.once("message", (ms) => resolve(ms as number));
      child.send("cpu");
    });
  return { ...(await running(child)), cpu };
}

async function running(child: ChildProcess): Promise<Program> {
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

export interface Call {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: () => string;
}

/** The performance of a program over some time: calls per second, and CPU time per call in microseconds. */
interface Rate {
  perSecond: number;
  cpuMicros: number;
}

/** Calls a program for `ms` milliseconds, with `connections` connections open at once. */
async function rate(program: MeasuredProgram, call: Call, ms: number, connections: number): Promise<Rate> {
  const pool = new Pool(program.url, { connections });
  let answered = 0;
  const cpuBefore = await program.cpu();
  const started = performance.now();
  const until = started + ms;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        const { body, statusCode } = await pool.request({
          method: call.method,
          path: call.path,
          headers: call.headers ?? {},
          ...(call.body ? { body: call.body() } : {}),
        });
        await body.dump();
        if (statusCode >= 300) throw new Error(`${call.path} answered ${statusCode}`);
        answered += 1;
      }
    }),
  );
  const perSecond = (answered / (performance.now() - started)) * 1_000;
  const cpuMicros = (((await program.cpu()) - cpuBefore) / answered) * 1_000;
  await pool.close();
  return { perSecond, cpuMicros };
}

/** How long to call a program before measuring, until V8 has compiled the code. */
const WARM_UP_MS = 2_000;

/** Compares the CPU time per call of two servers, measured alternately: A B A B … */
export async function compareRates(
  ours: [MeasuredProgram, Call],
  bare: [MeasuredProgram, Call],
): Promise<Omit<Figure, "name" | "limit">> {
  const pairs: [Rate, Rate][] = [];
  await rate(...ours, WARM_UP_MS, 8);
  await rate(...bare, WARM_UP_MS, 8);
  for (let round = 0; round < 7; round += 1)
    pairs.push([await rate(...ours, 700, 8), await rate(...bare, 700, 8)]);
  return summary(pairs, "calls/s");
}

/**
 * The medians of pairs of measurements. The ratio is the median of the pairs' ratios. It is above 1 if our server takes
 * less CPU time.
 */
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

/** Measures how many times per second this process can run an operation, by running it `count` times. */
export async function rateOf(count: number, work: () => unknown): Promise<Rate> {
  const before = process.cpuUsage();
  const ms = await timed(work);
  const { user, system } = process.cpuUsage(before);
  return { perSecond: (count / ms) * 1_000, cpuMicros: (user + system) / count };
}

/** The number of milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/**
 * The number of milliseconds that a complete run of `node` with these arguments takes. It must exit with the given
 * code.
 */
export function timedRun(
  args: string[],
  { cwd = tmpdir(), env = {}, code: right = 0 } = {},
): Promise<number> {
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
          code === right ? resolve() : reject(new Error(`node ${args.join(" ")} ended with ${code}`)),
        );
      }),
  );
}

/** The resident memory of a process, on systems that report it. */
export function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}
