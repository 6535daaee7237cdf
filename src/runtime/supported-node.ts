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
 * What to say when this process runs on a Node that is too old, in one line; undefined when it does not. Asked
 * before better-sqlite3 is loaded: on an old Node that ends the process without a word.
 */
export function unsupportedNode(version = process.versions.node): string | undefined {
  if (isSupportedNode(version)) return undefined;
  return `This is Node ${version}, and Sandglass needs ${OLDEST_NODE} or later. This works at once: npx -p node@24 -p sandglass sandglass`;
}
