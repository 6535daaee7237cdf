import type { Plugin } from "vite";
import { CALLS } from "../src/client/calls.ts";
import { DETAILS } from "../src/client/details.ts";

const DATA = { calls: { CALLS }, details: { DETAILS } };

/** Writes what clients need of the operations into the bundle as data: their schemas are loaded by the server alone. */
export function operationsAsData(): Plugin {
  return {
    name: "operations-as-data",
    load(id) {
      const name = /\/src\/client\/(calls|details)\.ts$/.exec(id.replaceAll("\\", "/"))?.[1];
      if (name === undefined) return undefined;
      const [[variable, value]] = Object.entries(DATA[name as keyof typeof DATA]) as [[string, unknown]];
      // Parsing a text takes less than half as long as reading the same object as code.
      return `export const ${variable} = JSON.parse(${JSON.stringify(JSON.stringify(value))});`;
    },
  };
}
