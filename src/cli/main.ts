#!/usr/bin/env node
import nodeModule from "node:module";
import { unsupportedNode } from "../runtime/supported-node.ts";

/** The command's first file: it loads the rest only on a Node that can run it. */
const WRONG_USE = 2;

const problem = unsupportedNode();
if (problem === undefined) {
  // Node stores what it compiled in the temporary folder, which saves a fifth of the next start.
  nodeModule.enableCompileCache();
  const { runProcess } = await import("./program.ts");
  await runProcess();
} else {
  process.stderr.write(`sandglass: ${problem}\n`);
  process.exitCode = WRONG_USE;
}
