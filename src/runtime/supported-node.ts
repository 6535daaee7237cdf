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
 * Explains in one line why Sandglass cannot run here: on an old Node, on Bun or on Deno. Check this before loading
 * better-sqlite3, which crashes the process on an old Node. Bun and Deno cannot record or replay chain data.
 */
export function unsupportedRuntime({ node, bun, deno } = process.versions): string | undefined {
  if (bun !== undefined) return refusal(`Bun ${bun}`);
  if (deno !== undefined) return refusal(`Deno ${deno}`);
  return unsupportedNode(node);
}

/**
 * Checks only the version, because the client also runs on Bun and Deno, which report the Node version that they
 * emulate.
 */
export function unsupportedNode(version = process.versions.node): string | undefined {
  return isSupportedNode(version) ? undefined : refusal(`Node ${version}`);
}

const refusal = (runtime: string) =>
  `This is ${runtime}, but Sandglass needs Node ${OLDEST_NODE} or later. To run it right away: npx -p node@24 -p sandglass sandglass`;
