import Module from "node:module";
import { pathToFileURL } from "node:url";
import { inPackage } from "../package.ts";

type Resolve = (specifier: string, context: unknown) => { url: string };
type ResolveHook = (
  specifier: string,
  context: unknown,
  next: Resolve,
) => { url: string; shortCircuit?: boolean };
type ResolveFilename = (request: string, ...rest: unknown[]) => string;

const INDEX = inPackage("dist/index.js");

/**
 * Lets `import "sandglass"` mean this package where none is installed, as when it runs by npx in a folder that has
 * only a scenario. For a thread that is for nothing else.
 */
export function findSandglass(): void {
  const { registerHooks } = Module as { registerHooks?: (hooks: { resolve: ResolveHook }) => void };
  if (registerHooks) {
    registerHooks({
      resolve: (specifier, context, next) =>
        orOwn(
          specifier,
          () => next(specifier, context),
          () => ({ url: pathToFileURL(INDEX).href, shortCircuit: true }),
        ),
    });
    return;
  }
  // Before Node 22.15 there are no such hooks; tsx reads TypeScript as CommonJS, which asks this.
  const commonJs = Module as unknown as { _resolveFilename: ResolveFilename };
  const resolve = commonJs._resolveFilename;
  commonJs._resolveFilename = (request, ...rest) =>
    orOwn(
      request,
      () => resolve.call(commonJs, request, ...rest),
      () => INDEX,
    );
}

function orOwn<Found>(specifier: string, usual: () => Found, own: () => Found): Found {
  if (specifier !== "sandglass") return usual();
  try {
    return usual();
  } catch {
    return own();
  }
}
