import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { mergeConfig } from "vitest/config";
import usual from "../../vitest.config.ts";
import { applyChange, type Change } from "./changes.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const { SANDGLASS_CHANGE } = process.env;
const change = SANDGLASS_CHANGE === undefined ? undefined : (JSON.parse(SANDGLASS_CHANGE) as Change);
const changing = change && {
  name: "change",
  enforce: "pre" as const,
  load: (id: string) =>
    id === ROOT + change.file ? applyChange(readFileSync(id, "utf8"), change) : undefined,
};

/** All files go through Vite, as the change is made there. */
const projects = usual.test!.projects!.map((project) =>
  mergeConfig(project as object, { test: { experimental: { viteModuleRunner: true } } }),
);

/** The tests of sources with one change, which no file on disk has; without one, the tests record what they call. */
export default mergeConfig(
  { ...usual, test: { ...usual.test, projects } },
  {
    root: ROOT,
    plugins: [changing],
    test: {
      maxWorkers: 2,
      // A cached module would stand in for the changed one.
      ...(change ? { bail: 1, fsModuleCache: false } : { setupFiles: ["test/mutation/coverage.ts"] }),
    },
  },
);
