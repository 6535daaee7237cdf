#!/usr/bin/env node
import nodeModule from "node:module";
import { unsupportedRuntime } from "../runtime/supported-node.ts";

/** The command's first file: it loads the rest only where that can run. */
const WRONG_USE = 2;

const problem = unsupportedRuntime();
if (problem === undefined) {
  // Node stores what it compiled in the temporary folder, which saves a fifth of the next start.
  nodeModule.enableCompileCache();
  const { runProcess } = await import("./program.ts");
  await runProcess();
} else {
  process.stderr.write(`sandglass: ${problem}\n`);
  process.exitCode = WRONG_USE;
}
