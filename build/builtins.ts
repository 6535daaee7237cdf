import type { Plugin } from "vite";

/** Modules of Node with exports that load others when they are read: streams, readline, undici, the terminal. */
const COSTLY = ["node:fs", "node:http", "node:process", "node:util"];
/** Begins the name of a module that takes one of them. */
export const TAKEN = "\0taken:";

/**
 * Takes those modules without an `import`, which reads every export once: that takes as much time as a command needs in
 * all to call a running sandbox.
 */
export function takeBuiltins(): Plugin {
  return {
    name: "take-builtins",
    enforce: "pre",
    resolveId: (id, _importer, { kind }) =>
      COSTLY.includes(id) && kind === "import-statement" ? TAKEN + id : undefined,
    load: (id) =>
      id.startsWith(TAKEN)
        ? `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice(TAKEN.length))});`
        : undefined,
  };
}
