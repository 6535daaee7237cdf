import { unsupportedRuntime } from "./supported-node.ts";

/**
 * Entry points that run a sandbox import this module first, so no other module is evaluated on an unsupported runtime.
 */
const problem = unsupportedRuntime();
if (problem !== undefined) throw new Error(problem);
