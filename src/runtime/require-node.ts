import { unsupportedRuntime } from "./supported-node.ts";

/** Imported first by the entries that run a sandbox: nothing else of the package is evaluated where that cannot be. */
const problem = unsupportedRuntime();
if (problem !== undefined) throw new Error(problem);
