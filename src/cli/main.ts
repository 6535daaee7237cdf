#!/usr/bin/env node
import { unsupportedNode } from "../runtime/supported-node.ts";

/** The command's first file: it loads the rest only on a Node that can run it. */
const WRONG_USE = 2;

const problem = unsupportedNode();
if (problem === undefined) {
  // Node stores what it compiled in the temporary folder, so that the next start need not compile it again.
  // An import would read each of the module's exports, which takes a twentieth of a short command's time.
  process.getBuiltinModule("node:module").enableCompileCache();
  const { runProcess } = await import("./program.ts");
  await runProcess();
} else {
  process.stderr.write(`sandglass: ${problem}\n`);
  process.exitCode = WRONG_USE;
}
