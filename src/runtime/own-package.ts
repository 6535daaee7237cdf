import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { inPackage } from "./package.ts";

/**
 * Makes `import "sandglass"` resolve to this package if it is not installed, for example when npx runs in a folder that
 * contains only a scenario. The hook cannot be removed, so use it only in Sandglass's own threads and processes.
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
