import { rmSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { build } from "vite";
import { pathOf } from "./harness.ts";

/** Bundles the benchmark in the same way as the package, so it measures the code that ships. */
const outDir = pathOf("../../node_modules/.cache/sandglass-bench");
rmSync(outDir, { recursive: true, force: true });
await build({
  configFile: false,
  logLevel: "warn",
  ssr: { noExternal: true, external: ["better-sqlite3", "expect", "playwright-core"] },
  build: {
    ssr: pathOf("./main.ts"),
    target: "node22",
    outDir,
    minify: false,
    rollupOptions: { output: { entryFileNames: "bench.js" } },
  },
});
process.argv.splice(1, 1, `${outDir}/bench.js`);
await import(pathToFileURL(`${outDir}/bench.js`).href);
