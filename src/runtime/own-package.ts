import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { inPackage } from "./package.ts";

/**
 * Lets `import "sandglass"` mean this package where none is installed, as when it runs by npx in a folder that has
 * only a scenario or a configuration. It stays so: for threads and processes of Sandglass's own.
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
