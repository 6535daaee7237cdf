#!/usr/bin/env node
import nodeModule from "node:module";
import { unsupportedRuntime } from "../runtime/supported-node.ts";

/** The command's entry point. It checks the Node version before it loads anything else. */
const WRONG_USE = 2;

const problem = unsupportedRuntime();
if (problem === undefined) {
  // Node caches compiled code in the temporary folder, which makes the next start a fifth faster.
  nodeModule.enableCompileCache();
  const { runProcess } = await import("./program.ts");
  await runProcess();
} else {
  process.stderr.write(`sandglass: ${problem}\n`);
  process.exitCode = WRONG_USE;
}
