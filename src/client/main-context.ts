import { constants, runInThisContext } from "node:vm";
import type { MockingGlobal } from "../runtime/agent.ts";

/**
 * Loads a module outside the context that a test runner creates for a test file. Jest gives each file a global object
 * of its own, and its fake timers replace that object's timers, `process.nextTick` and `queueMicrotask`. Code that
 * awaits one of these would hang forever. The main context has the originals.
 */
export type LoadInMainContext = <Module>(specifier: string) => Promise<Module>;

/** Creates a function that loads modules in the main context; undefined if this code already runs there. */
export function mainContextLoader(): LoadInMainContext | undefined {
  const main: MockingGlobal = runInThisContext("globalThis");
  if (main === globalThis) return undefined;
  // nock and msw patch the sockets of both contexts, but mark their own connections only in this one.
  main.__MSW_INTERNAL_CONNECTION_CONTEXT = (globalThis as MockingGlobal).__MSW_INTERNAL_CONNECTION_CONTEXT;
  return runInThisContext("(specifier) => import(specifier)", {
    filename: import.meta.url,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}
