import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";
import { HANDED_ON, requiring } from "../variables.ts";

type Method = (this: unknown, ...values: unknown[]) => unknown;
type Variables = Record<string, string | undefined>;

/**
 * Passes this process's variables on to processes and threads that are given an environment without them.
 * @param file the preload
 */
export function watchDescendants(file: string): void {
  const own: Variables = {};
  for (const name of HANDED_ON) if (process.env[name] !== undefined) own[name] = process.env[name];
  const handOn = (env: Variables): Variables => ({
    ...env,
    ...own,
    NODE_OPTIONS: requiring(file, env.NODE_OPTIONS),
  });

  // All asynchronous functions that start a process use this method.
  const children = (childProcess as unknown as { ChildProcess: { prototype: Record<"spawn", Method> } })
    .ChildProcess.prototype;
  const { spawn } = children;
  children.spawn = function (...values) {
    const [options] = values as [{ envPairs?: string[] } | undefined];
    if (!options?.envPairs) return spawn.apply(this, values);
    const pairs = options.envPairs.map((pair) => /^([^=]*)=(.*)$/s.exec(pair)?.slice(1) ?? [pair, ""]);
    const env = handOn(Object.fromEntries(pairs));
    return spawn.call(this, {
      ...options,
      envPairs: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    });
  };
  const functions = childProcess as unknown as Record<string, Method>;
  for (const name of ["spawnSync", "execFileSync", "execSync"]) {
    const method = functions[name]!;
    functions[name] = function (...values) {
      const at = values.findIndex(
        (value) => typeof value === "object" && value !== null && !Array.isArray(value),
      );
      const { env } = Object(values[at]) as { env?: Variables };
      if (env) values[at] = { ...(values[at] as object), env: handOn(env) };
      return method.apply(this, values);
    };
  }

  threads.Worker = class Worker extends threads.Worker {
    constructor(script: string | URL, options: threads.WorkerOptions = {}) {
      const { env } = options;
      super(
        script,
        typeof env === "object" && env !== null ? { ...options, env: handOn(env as Variables) } : options,
      );
    }
  };
  syncBuiltinESMExports();
}
