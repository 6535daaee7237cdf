import { unsupportedRuntime } from "./supported-node.ts";

/** The first import of entries that run a sandbox: no other module is evaluated on an unsupported runtime. */
const problem = unsupportedRuntime();
if (problem !== undefined) throw new Error(problem);
