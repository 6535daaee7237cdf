import { constants, runInThisContext } from "node:vm";
import type { MockingGlobal } from "../runtime/agent.ts";

/**
 * Loads a module outside of the context that a test runner made for a test file. Jest gives each file a global object of its
 * own, whose timers, `process.nextTick` and `queueMicrotask` its fake timers replace; code that waits for one of those waits
 * for ever. The main context has the originals.
 */
export type LoadInMainContext = <Module>(specifier: string) => Promise<Module>;

/** A loader for modules in the main context; undefined if this code already runs there. */
export function mainContextLoader(): LoadInMainContext | undefined {
  const main: MockingGlobal = runInThisContext("globalThis");
  if (main === globalThis) return undefined;
  // nock and msw patch the sockets of both contexts; the marks of their connections are in this one.
  main.__MSW_INTERNAL_CONNECTION_CONTEXT = (globalThis as MockingGlobal).__MSW_INTERNAL_CONNECTION_CONTEXT;
  return runInThisContext("(specifier) => import(specifier)", {
    filename: import.meta.url,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}
