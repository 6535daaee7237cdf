import { unsupportedNode } from "./supported-node.ts";

/** The client imports this first, so that none of its modules is evaluated on an unsupported Node. */
const problem = unsupportedNode();
if (problem !== undefined) throw new Error(problem);
