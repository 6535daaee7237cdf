import { registerHooks } from "node:module";

/** What a test's process loads instead of one file: `run.ts` passes both. No file on disk has the change. */
const { url, source } = JSON.parse(process.env.SANDGLASS_CHANGE!) as { url: string; source: string };

registerHooks({
  load: (id, context, nextLoad) => {
    const loaded = nextLoad(id, context);
    return id.split("?")[0] === url ? { ...loaded, source } : loaded;
  },
});
