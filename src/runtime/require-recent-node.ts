import { unsupportedNode } from "./supported-node.ts";

/** Imported first by the client: nothing else of it is evaluated on a Node that is too old. */
const problem = unsupportedNode();
if (problem !== undefined) throw new Error(problem);
