import { unsupportedNode } from "./supported-node.ts";

/** The client imports this module first, so none of its other modules is evaluated on an unsupported Node. */
const problem = unsupportedNode();
if (problem !== undefined) throw new Error(problem);
