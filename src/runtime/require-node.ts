import { unsupportedNode } from "./supported-node.ts";

/** Imported first by each entry of the library: nothing else of the package is evaluated on a Node that is too old. */
const problem = unsupportedNode();
if (problem !== undefined) throw new Error(problem);
