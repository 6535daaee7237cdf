import type { TestProject } from "vitest/node";
import { builtFrom, sourcesHash } from "../../build/sources.ts";

declare module "vitest" {
  interface ProvidedContext {
    distIsCurrent: boolean;
  }
}

/** Finds out once for all test files whether `dist` is what these sources build. */
export default function checkBuild({ provide }: TestProject): void {
  provide("distIsCurrent", builtFrom() === sourcesHash());
}
