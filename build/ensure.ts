import { builtFrom, sourcesHash } from "./sources.ts";

/**
 * Builds Sandglass unless `dist` was already built from the current sources. `npm start` and `npm pack` run this first.
 */
if (builtFrom() !== sourcesHash()) {
  console.error("Building Sandglass from its sources. The next start skips it.");
  await import("../build.ts");
}
