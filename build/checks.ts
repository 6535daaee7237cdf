import { spawn } from "node:child_process";
import { builtFrom, sourcesHash } from "./sources.ts";

/**
 * Lints, type-checks and builds, running two commands at a time; `npm test` runs this before the tests. Both lanes take
 * about equally long. The output of each command is printed all at once when the command finishes. If `npm ci` has just
 * built the sources, they are not built again.
 */
const isBuilt = builtFrom() === sourcesHash();
const LANES = isBuilt ? [["types -- ."], ["lint", "types -- ui"]] : [["types"], ["lint", "build"]];
if (isBuilt) console.log("--- npm run build: left out, as dist is built from these sources");

function run(script: string): Promise<boolean> {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(`npm run --silent ${script}`, {
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}) },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    child.once("close", (code) => {
      const seconds = ((performance.now() - started) / 1_000).toFixed(1);
      console.log(
        `--- npm run ${script}: ${code === 0 ? "passed" : `failed with code ${code}`} in ${seconds} s`,
      );
      if (output.trim() !== "") console.log(output.trimEnd());
      resolve(code === 0);
    });
  });
}

async function runLane(scripts: readonly string[]): Promise<boolean> {
  for (const script of scripts) if (!(await run(script))) return false;
  return true;
}

const passed = await Promise.all(LANES.map(runLane));
if (passed.includes(false)) process.exitCode = 1;
