import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";

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

/** One that tells the CPU time that it has used, in milliseconds. */
export interface MeasuredProgram extends Program {
  cpu: () => Promise<number>;
}

/**
 * Starts a server program; resolves with the URL that it prints in its first line.
 * @param cwd away from any config file without it
 */
export async function startProgram(args: string[], cwd = tmpdir()): Promise<Program> {
  return running(spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] }));
}

/** As `startProgram`, for a program whose CPU time is asked for. */
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

/** What a program does in a while: calls in a second, and its CPU time for each, in microseconds. */
interface Rate {
  perSecond: number;
  cpuMicros: number;
}

/** Calls a program, with `connections` open at once, for `ms` milliseconds. */
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

/** Until V8 has compiled what is called. */
const WARM_UP_MS = 2_000;

/** Compares two servers by their CPU time for a call, measured in turn: A B A B … */
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

/** Milliseconds that a whole run of `node` with these arguments takes; it must end with this code. */
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

/** Resident memory of a process, where the system tells it. */
export function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}
