import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { declareFromSchemas } from "./declarations.ts";
import { ROOT } from "./sources.ts";

/** The package's entries, with the source file of each. */
const ENTRIES = {
  index: "index",
  client: "client/index",
  vitest: "entries/vitest",
  playwright: "entries/playwright",
};

/** Node's types include this if they are installed, but `await using` must work without them, too. */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />';

/**
 * Bundles the declarations of each entry into one file. The library's own types are declared in `index.d.ts`, and the
 * other entries import them from there, so each type is declared only once.
 * @param outDir the folder to write the files to
 */
export async function bundleTypes(outDir: string): Promise<void> {
  mkdirSync(outDir, { recursive: true });
  // Use a folder within the checkout, so the declarations resolve the same packages as their sources.
  const emitted = mkdtempSync(join(ROOT, "node_modules/.sandglass-types-"));
  try {
    emitDeclarations(emitted);
    await declareFromSchemas(emitted, join(ROOT, "src"));
    for (const [name, source] of Object.entries(ENTRIES)) {
      const bundle = await rolldown({
        input: { [name]: join(emitted, `${source}.d.ts`) },
        external: (id) => !id.startsWith(".") && !isAbsolute(id),
        checks: { bundlerTimings: false },
        plugins: [
          ...(name === "index" ? [] : [promisesFromIndex]),
          dts({ dtsInput: true, tsconfig: false, generator: "oxc" }),
        ],
      });
      const { output } = await bundle.generate({ format: "es", entryFileNames: "[name].ts" });
      await bundle.close();
      // Remove the comments in which the bundler names the original files.
      const code = output[0].code.replace(/^\/\/ .*\.d\.ts\n/gm, "");
      writeFileSync(join(outDir, `${name}.d.ts`), format(name === "index" ? `${DISPOSABLE}\n${code}` : code));
    }
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

function emitDeclarations(outDir: string): void {
  const args = ["-p", join(ROOT, "tsconfig.types.json"), "--outDir", outDir];
  execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), ...args], {
    stdio: "inherit",
  });
}

/** Formats the code as a person would write it, for example with one line for each member of a long union. */
function format(code: string): string {
  const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
  // A source archive is not a repository, so there is no list of ignored files to read.
  const args = ["format", "--vcs-enabled=false", "--stdin-file-path=index.d.ts"];
  return execFileSync(process.execPath, [biome, ...args], { cwd: ROOT, input: code, encoding: "utf8" });
}

/** Types that are declared in `src/library/` and in other entries are imported from `index.d.ts`. */
const promisesFromIndex: Plugin = {
  name: "promises-from-index",
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith(".")) return null;
    const folder = basename(dirname(resolve(dirname(importer), id)));
    return folder === "library" || folder === "entries" ? { id: "./index.js", external: true } : null;
  },
};
