import type { TestProject } from "vitest/node";
import { builtFrom, sourcesHash } from "../../build/sources.ts";
import { installPackage } from "./installed.ts";

declare module "vitest" {
  interface ProvidedContext {
    distIsCurrent: boolean;
  }
}

/** Finds out once for all test files whether `dist` is what these sources build, and installs it if so. */
export default function checkBuild({ provide }: TestProject): void {
  const isCurrent = builtFrom() === sourcesHash();
  if (isCurrent) installPackage();
  provide("distIsCurrent", isCurrent);
}
