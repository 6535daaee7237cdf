import module from "node:module";

/** The thread's first file: a thread has to enable the stored compiled code itself, before the rest is loaded. */
module.enableCompileCache();
await import("./thread.ts");
