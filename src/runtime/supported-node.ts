import packageJson from "../../package.json" with { type: "json" };

/** The oldest Node that runs Sandglass, such as `22.20`. */
export const OLDEST_NODE = packageJson.engines.node.replace(/^>=/, "");

/** Whether a version of Node, such as `24.1.0`, runs Sandglass. */
function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * A line that says why Sandglass does not run: an old Node, Bun or Deno. It is needed before better-sqlite3 is loaded, which
 * ends the process on an old Node. On Bun and Deno, nothing can be recorded or replayed for chain data.
 */
export function unsupportedRuntime({ node, bun, deno } = process.versions): string | undefined {
  if (bun !== undefined) return refusal(`Bun ${bun}`);
  if (deno !== undefined) return refusal(`Deno ${deno}`);
  return unsupportedNode(node);
}

/** The same if only the version counts: the client runs on Bun and Deno, which report the Node that they emulate. */
export function unsupportedNode(version = process.versions.node): string | undefined {
  return isSupportedNode(version) ? undefined : refusal(`Node ${version}`);
}

const refusal = (runtime: string) =>
  `This is ${runtime}, but Sandglass needs Node ${OLDEST_NODE} or later. To run it right away: npx -p node@24 -p sandglass sandglass`;
