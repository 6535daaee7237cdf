import type { Plugin } from "vite";
import { CALLS } from "../src/client/calls.ts";

/** Writes what clients need of the operations into the bundle as data: their schemas are loaded by the server alone. */
export function operationsAsData(): Plugin {
  return {
    name: "operations-as-data",
    load: (id) =>
      id.replaceAll("\\", "/").endsWith("/src/client/calls.ts")
        ? `export const CALLS = ${JSON.stringify(CALLS)};`
        : undefined,
  };
}
