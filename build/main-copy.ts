import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const COPY = "?main";
const isMain = (importer: string): boolean =>
  /\/src\/cli\/main\.ts$/.test(importer) || importer.endsWith(COPY);

/** Gives the command's entry point copies of the modules that it imports at once: finding one more file takes it half a millisecond. */
export const copyForMain = (): Plugin => ({
  name: "copy-for-main",
  enforce: "pre",
  async resolveId(id, importer = "", { kind }) {
    if (!isMain(importer) || !id.startsWith(".") || kind === "dynamic-import") return undefined;
    const found = await this.resolve(id, importer.replace(COPY, ""));
    return found && found.id + COPY;
  },
  // What another plugin makes, it makes for the copy, too.
  load: (id) =>
    id.endsWith(COPY) && !id.startsWith("\0") ? readFileSync(id.replace(COPY, ""), "utf8") : undefined,
});
