import { fileURLToPath } from "node:url";
import { mergeConfig, type TestProjectInlineConfiguration } from "vitest/config";
import usual from "../../vitest.config.ts";

const isChanged = process.env.SANDGLASS_CHANGE !== undefined;

/**
 * Node loads the sources, which a hook changes. Files that Vite transforms would not see the change, so leave them out.
 */
const projects = (usual.test!.projects as TestProjectInlineConfiguration[]).filter(
  ({ test }) => !/^transformed/.test(String(test!.name)),
);

/** Runs the tests with one change to the sources or, without a change, records which functions they call. */
export default mergeConfig(
  { ...usual, test: { ...usual.test, projects } },
  {
    root: fileURLToPath(new URL("../../", import.meta.url)),
    test: {
      maxWorkers: 2,
      ...(isChanged
        ? { bail: 1, execArgv: ["--import", new URL("preload.ts", import.meta.url).href] }
        : { setupFiles: ["test/mutation/coverage.ts"] }),
    },
  },
);
