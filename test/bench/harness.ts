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
  /** `ours / bare` for rates, `bare / ours` never: the ratio as the limit is stated. */
  ratio?: number;
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

/** Starts a server program, away from any config file; resolves with the URL that it prints in its first line. */
export async function startProgram(
  args: string[],
): Promise<{ url: string; pid: number; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, args, { cwd: tmpdir(), stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (data: Buffer) => resolve(data.toString()));
    child.once("exit", (code) => reject(new Error(`${args[0]} ended with code ${code}`)));
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

/** Requests answered in a second, with `connections` open at once, for `ms` milliseconds. */
async function rate(url: string, call: Call, ms: number, connections: number): Promise<number> {
  const pool = new Pool(url, { connections });
  const until = performance.now() + ms;
  let answered = 0;
  const started = performance.now();
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
  const rate = (answered / (performance.now() - started)) * 1_000;
  await pool.close();
  return rate;
}

/** Measures two servers in turn, A B A B …, and gives the medians and the median of the pairs' ratios. */
export async function compareRates(
  ours: [string, Call],
  bare: [string, Call],
): Promise<{ ours: number; bare: number; ratio: number }> {
  const pairs: [number, number][] = [];
  await rate(...ours, 500, 8);
  await rate(...bare, 500, 8);
  for (let round = 0; round < 7; round += 1)
    pairs.push([await rate(...ours, 700, 8), await rate(...bare, 700, 8)]);
  return {
    ours: median(pairs.map(([a]) => a)),
    bare: median(pairs.map(([, b]) => b)),
    ratio: median(pairs.map(([a, b]) => a / b)),
  };
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Resident memory of a process, where the system tells it. */
export function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_000;
  } catch {
    return 0;
  }
}
