import { builtFrom, sourcesHash } from "./sources.ts";

/** Builds Sandglass unless `dist` was built from these sources. `npm start` and `npm pack` run it first. */
if (builtFrom() !== sourcesHash()) {
  console.error("Building Sandglass from its sources. The next start skips it.");
  await import("../build.ts");
}
