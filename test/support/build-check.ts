import type { TestProject } from "vitest/node";
import { builtFrom, sourcesHash } from "../../build/sources.ts";
import { installPackage } from "./installed.ts";

declare module "vitest" {
  interface ProvidedContext {
    distIsCurrent: boolean;
  }
}

/**
 * Checks once, for all test files, whether `dist` was built from the current sources. If it was, installs the package.
 */
export default function checkBuild({ provide }: TestProject): void {
  const isCurrent = builtFrom() === sourcesHash();
  if (isCurrent) installPackage();
  provide("distIsCurrent", isCurrent);
}
