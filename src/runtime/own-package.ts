import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { inPackage } from "./package.ts";

/**
 * Makes `import "sandglass"` resolve to this package if none is installed, as with npx in a folder with only a scenario or a
 * configuration. It stays in force, so it is only for Sandglass's own threads and processes.
 */
export function findSandglass(): void {
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (specifier !== "sandglass") throw error;
        return { url: pathToFileURL(inPackage("dist/index.js")).href, shortCircuit: true };
      }
    },
  });
}
