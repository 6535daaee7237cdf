import { registerHooks } from "node:module";

/** Replaces one file in a test's process with changed source code; `run.ts` passes both. No file on disk is changed. */
const { url, source } = JSON.parse(process.env.SANDGLASS_CHANGE!) as { url: string; source: string };

registerHooks({
  load: (id, context, nextLoad) => {
    const loaded = nextLoad(id, context);
    return id.split("?")[0] === url ? { ...loaded, source } : loaded;
  },
});
