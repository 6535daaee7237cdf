import { unsupportedNode } from "./supported-node.ts";

/** The first import of the client: none of its modules is evaluated on an unsupported Node. */
const problem = unsupportedNode();
if (problem !== undefined) throw new Error(problem);
