import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const FILE = "llhttp/llhttp.wasm";

/**
 * The interceptors behind nock read their HTTP parser, a WebAssembly file, from beside their own code: it goes beside
 * the chunk that holds that code.
 */
export function copyHttpParser(): Plugin {
  return {
    name: "http-parser",
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk" || !chunk.code.includes(`./${FILE}`)) continue;
        const module = Object.keys(chunk.modules).find((id) => id.includes("@mswjs/interceptors/lib/node/"));
        if (module === undefined) throw new Error(`${chunk.fileName} reads ${FILE}, which is not found`);
        this.emitFile({
          type: "asset",
          fileName: join(dirname(chunk.fileName), FILE),
          source: readFileSync(join(dirname(module), FILE)),
        });
      }
    },
  };
}
