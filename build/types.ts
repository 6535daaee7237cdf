import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { declareFromSchemas } from "./declarations.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The package's entries, and the source of each. */
const ENTRIES = {
  index: "index",
  client: "client/index",
  vitest: "entries/vitest",
  playwright: "entries/playwright",
};

/** Node's types come with it where they are installed; `await using` must work without them, too. */
const DISPOSABLE = '/// <reference lib="esnext.disposable" />';

/**
 * Bundles the declarations of each entry into one file. What the library promises is declared in `index.d.ts`; the other
 * entries import it from there, so that each type is declared once.
 * @param outDir where the files go
 */
export async function bundleTypes(outDir: string): Promise<void> {
  mkdirSync(outDir, { recursive: true });
  // Within the checkout, so that the declarations resolve the same packages as their sources.
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
      // The bundler names the files that the declarations come from.
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

/** As somebody would write it: a line for each word of a long union. */
function format(code: string): string {
  const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
  // A source archive has no repository to read ignored files from.
  const args = ["format", "--vcs-enabled=false", "--stdin-file-path=index.d.ts"];
  return execFileSync(process.execPath, [biome, ...args], { cwd: ROOT, input: code, encoding: "utf8" });
}

/** What `src/library/` and other entries declare is in `index.d.ts`. */
const promisesFromIndex: Plugin = {
  name: "promises-from-index",
  resolveId(id, importer) {
    if (importer === undefined || !id.startsWith(".")) return null;
    const folder = basename(dirname(resolve(dirname(importer), id)));
    return folder === "library" || folder === "entries" ? { id: "./index.js", external: true } : null;
  },
};
