import module from "node:module";

/** The thread's entry file. Each thread must enable the compile cache itself before it loads anything else. */
module.enableCompileCache();
await import("./thread.ts");
